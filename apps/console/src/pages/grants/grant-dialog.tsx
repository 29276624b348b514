import { Button, Modal } from "@mantine/core";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { FaultNote, Note } from "../../design/layout.tsx";
import { toast } from "../../design/toasts.tsx";
import { AccountsField } from "./accounts-field.tsx";
import { mergeList } from "./merge-list.ts";
import { ProjectsField } from "./projects-field.tsx";

const lists = ["projects", "identityProjects", "identityAccounts"] as const;
type Lists = Readonly<Record<(typeof lists)[number], readonly string[]>>;

/** Changes the grants of a shared agent. */
export function GrantDialog(props: { readonly agent: Stored<EntityByKind["Agent"]>; readonly onClose: () => void }): ReactNode {
  const { agent, onClose } = props;
  const { name } = agent.metadata;
  const queries = useQueryClient();
  const [opened] = useState(() => readLists(agent));
  const [edited, setEdited] = useState<Lists>(opened);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const set = (list: keyof Lists) => (value: readonly string[]) => setEdited({ ...edited, [list]: value });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      // Heartbeats constantly change the agent's resource version, so it cannot be used to detect changes by other operators.
      const latest = readLists(await client.agents.get("system", name));
      const spec = Object.fromEntries(lists.map((list) => [list, mergeList(opened[list], edited[list], latest[list])]));
      await client.agents.patch("system", name, { spec });
      await queries.invalidateQueries({ queryKey: ["agents"] });
      toast("good", `Grants for ${name} saved`);
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={`Grants for ${name}`} size="lg">
      <form className="cw-stack" onSubmit={(event) => void submit(event)}>
        <ProjectsField
          label="Projects that the agent serves"
          description="Leave empty to serve all projects"
          value={edited.projects}
          onChange={set("projects")}
        />
        <ProjectsField
          label="Projects that may use the agent's cloud identity"
          description="All accounts of these projects may use the identity"
          everyLabel="Every project, including future ones"
          value={edited.identityProjects}
          onChange={set("identityProjects")}
        />
        {edited.identityProjects.includes("*") && (
          <Note tone="warn">
            <p>Every project can act in the cloud as this agent. Choose this only if all projects trust each other.</p>
          </Note>
        )}
        <AccountsField value={edited.identityAccounts} onChange={set("identityAccounts")} />
        <FaultNote error={error} />
        <div className="cw-row" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Save
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function readLists({ spec }: EntityByKind["Agent"]): Lists {
  return {
    projects: spec?.projects ?? [],
    identityProjects: spec?.identityProjects ?? [],
    identityAccounts: spec?.identityAccounts ?? [],
  };
}
