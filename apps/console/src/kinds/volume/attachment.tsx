import { Button, Modal, Select } from "@mantine/core";
import type { AnyEntity, EntityByKind, Stored } from "@cloudwright/api-client";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { FaultNote } from "../../design/layout.tsx";
import { useAttachable } from "./use-attachable.ts";

/** Renders the button that attaches a volume to an instance or detaches it. */
export function Attachment({ entity }: { readonly entity: Stored<AnyEntity> }): ReactNode {
  const { spec } = entity as EntityByKind["Volume"];
  const attached = spec?.instance ?? "";
  const project = useProject();
  const navigate = useNavigate();
  const instances = useAttachable(spec?.account ?? "");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const change = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    const { name } = entity.metadata;
    try {
      const { metadata } =
        attached === ""
          ? await client.volumes.attach(project, name, chosen)
          : await client.volumes.detach(project, name, { instance: attached });
      setOpen(false);
      if (metadata.operation !== undefined && metadata.operation !== "")
        await navigate({ to: pathOf(project, "operations", metadata.operation) });
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (attached !== "" || chosen !== "") void change();
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {attached === "" ? "Attach" : "Detach"}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={attached === "" ? `Attach ${entity.metadata.name}` : `Detach ${entity.metadata.name} from ${attached}`}
      >
        <form className="cw-stack" onSubmit={submit}>
          {attached === "" ? (
            <Select
              label="Instance"
              description="Instances in the volume's account"
              data={instances}
              value={chosen || null}
              onChange={(instance) => setChosen(instance ?? "")}
            />
          ) : (
            <span>Unmount the file system in the instance first. The volume keeps its data.</span>
          )}
          <FaultNote error={error} />
          <Button type="submit" loading={isBusy} disabled={attached === "" && chosen === ""}>
            {attached === "" ? "Attach" : "Detach"}
          </Button>
        </form>
      </Modal>
    </>
  );
}
