import { Button, CloseButton, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useProject } from "../../data/project.ts";
import { accountsQuery, projectsQuery } from "../../data/queries.ts";
import { useAccountNames } from "./use-account-names.ts";

/** Lets the user select individual accounts by project and name. The value contains their uids. */
export function AccountsField(props: {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}): ReactNode {
  const { value, onChange } = props;
  const { data: projects = [] } = useQuery(projectsQuery);
  const [project, setProject] = useState(useProject());
  const { data: accounts = [] } = useQuery(accountsQuery(project));
  const [account, setAccount] = useState<string | null>(null);
  const nameAccount = useAccountNames();
  const add = (): void => {
    if (account !== null) onChange([...new Set([...value, account])]);
    setAccount(null);
  };
  return (
    <fieldset className="cw-fieldset">
      <legend>Individual accounts that may use the agent's cloud identity</legend>
      {value.length > 0 && (
        <ul className="cw-chosen">
          {value.map((uid) => (
            <li key={uid}>
              <span>{nameAccount(uid)}</span>
              <CloseButton
                size="sm"
                aria-label={`Remove ${nameAccount(uid)}`}
                onClick={() => onChange(value.filter((each) => each !== uid))}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="cw-row" style={{ alignItems: "flex-end" }}>
        <Select
          label="Project"
          searchable
          allowDeselect={false}
          data={projects.map(({ metadata }) => metadata.name)}
          value={project}
          onChange={(name) => {
            setProject(name ?? "");
            setAccount(null);
          }}
        />
        <Select
          label="Account"
          searchable
          placeholder={accounts.length === 0 ? "No accounts" : "Select an account"}
          data={accounts.map(({ metadata }) => ({ value: metadata.uid, label: metadata.name }))}
          value={account}
          onChange={setAccount}
        />
        <Button variant="default" disabled={account === null} onClick={add}>
          Add account
        </Button>
      </div>
    </fieldset>
  );
}
