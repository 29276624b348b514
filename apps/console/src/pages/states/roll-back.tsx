import { Button, Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useProject } from "../../data/project.ts";
import { FaultNote, Note } from "../../design/layout.tsx";
import { TypedConfirmation } from "../../design/typed-confirmation.tsx";
import { toast } from "../../design/toasts.tsx";
import { Difference } from "./difference.tsx";

/** Restores an earlier version of a state. Shows the differences first and requires the user to type the entity's name. */
export function RollBack(props: {
  readonly uid: string;
  readonly name: string;
  readonly version: number;
  readonly newest: number;
  readonly onClose: () => void;
}): ReactNode {
  const { uid, name, version, newest, onClose } = props;
  const project = useProject();
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const go = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await client.states.rollback(project, uid, version);
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === "state" || queryKey[0] === "states" });
      toast("good", `Version ${version} restored as a new version`);
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={`Restore version ${version}`} size="lg">
      <form className="cw-stack" onSubmit={(event) => void go(event)}>
        <Note tone="warn">
          <p>Terraform will use this version as its state. Nothing in the cloud changes. The next plan shows the differences.</p>
        </Note>
        <div className="cw-framed" tabIndex={0} role="region" aria-label={`Changes from version ${newest} to ${version}`}>
          <Difference uid={uid} from={newest} to={version} />
        </div>
        <TypedConfirmation phrase={name} typed={typed} onType={setTyped} />
        <FaultNote error={error} />
        <div className="cw-row" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red.9" loading={isBusy} disabled={typed !== name || name === ""}>
            Restore
          </Button>
        </div>
      </form>
    </Modal>
  );
}
