import { Button } from "@mantine/core";
import type { KindName } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { Icon } from "../../design/icons.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";
import { DeleteDialog } from "../delete/delete-dialog.tsx";
import type { Row } from "../../kinds/kind-view.ts";

/** Renders the actions for all selected entities. */
export function BulkActions({
  kind,
  chosen,
  onDone,
}: {
  readonly kind: KindName;
  readonly chosen: readonly Row[];
  readonly onDone: () => void;
}): ReactNode {
  const project = useProject();
  const can = useCan();
  const [isDeleting, setDeleting] = useState(false);
  const pausable = getKind(kind).provisioned && can(kind, "pause");
  const allPaused = chosen.every(({ entity }) => entity.metadata.paused === true);
  const items = `${chosen.length} ${chosen.length === 1 ? "item" : "items"}`;
  const verb = allPaused ? "resume" : "pause";
  const act = async (): Promise<void> => {
    const resource = client.resource(kind, { project });
    const results = await Promise.allSettled(chosen.map(({ entity }) => resource.act(entity.metadata.name, verb)));
    const failed = results.filter((result) => result.status === "rejected");
    if (failed[0] !== undefined) toastFault(failed[0].reason);
    else toast("good", `${items} ${verb === "pause" ? "paused" : "resumed"}`);
    onDone();
  };
  return (
    <>
      {pausable && (
        <Button variant="default" onClick={() => void act()} leftSection={<Icon name={allPaused ? "run" : "pause"} size={15} />}>
          {allPaused ? "Resume" : "Pause"} {items}
        </Button>
      )}
      <Button color="red" variant="light" onClick={() => setDeleting(true)} leftSection={<Icon name="trash" size={15} />}>
        Delete {items}
      </Button>
      {isDeleting && (
        <DeleteDialog
          kind={kind}
          entities={chosen.map(({ entity }) => entity)}
          onClose={(isDone) => {
            setDeleting(false);
            if (isDone) onDone();
          }}
        />
      )}
    </>
  );
}
