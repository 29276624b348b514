import { Button, Modal, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { FaultNote, Note } from "../../design/layout.tsx";
import { toast } from "../../design/toasts.tsx";

/** A resource to adopt or forget. Empty fields are filled in by the user. */
export interface Repair {
  readonly verb: "adopt" | "forget";
  readonly address: string;
  readonly id: string;
}

const texts = {
  adopt: {
    title: "Adopt a resource into",
    note: "The platform will manage this resource. It will be changed and deleted together with the entity. A resource that belongs to another entity is rejected.",
  },
  forget: {
    title: "Forget a resource of",
    note: "The platform will no longer manage this resource. It stays in the cloud. If the spec requires it, the next run creates another one.",
  },
} as const;

const mono = { input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } };

/** Asks for confirmation, starts the operation that adopts or forgets a resource, and opens the operation's page. */
export function RepairResource(props: {
  readonly uid: string;
  readonly name: string;
  readonly repair: Repair;
  readonly onClose: () => void;
}): ReactNode {
  const { uid, name, repair, onClose } = props;
  const { verb } = repair;
  const project = useProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [address, setAddress] = useState(repair.address);
  const [id, setId] = useState(repair.id);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const go = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const { metadata } = await (verb === "adopt"
        ? client.states.adopt(project, uid, { address, id })
        : client.states.forget(project, uid, { address }));
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === "state" || queryKey[0] === "states" });
      toast("good", verb === "adopt" ? `Adopting ${id}` : `Forgetting ${address}`);
      onClose();
      await navigate({ to: pathOf(project, "operations", metadata?.name ?? "") });
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={`${texts[verb].title} ${name}`} size="lg">
      <form className="cw-stack" onSubmit={(event) => void go(event)}>
        <Note tone="warn">
          <p>{texts[verb].note}</p>
        </Note>
        <TextInput
          label="Address"
          description='TYPE.NAME or TYPE.NAME["KEY"], as in the list'
          styles={mono}
          value={address}
          readOnly={verb === "forget"}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        {verb === "adopt" && (
          <TextInput
            label="ID in the cloud"
            description="As used by terraform import"
            styles={mono}
            value={id}
            onChange={(event) => setId(event.currentTarget.value)}
          />
        )}
        <FaultNote error={error} />
        <div className="cw-row" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            {...(verb === "forget" ? { color: "red.9" } : {})}
            loading={isBusy}
            disabled={address === "" || (verb === "adopt" && id === "")}
          >
            {verb === "adopt" ? "Adopt" : "Forget"}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
