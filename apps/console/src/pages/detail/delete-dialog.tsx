import { Button, Checkbox, Modal } from "@mantine/core";
import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useLive } from "../../data/live.tsx";
import { placeOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { subtreeOf } from "../../data/references.ts";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Note } from "../../design/layout.tsx";
import { Phase } from "../../design/status.tsx";
import { toast } from "../../design/toasts.tsx";
import { TypedConfirmation } from "../../design/typed-confirmation.tsx";
import { iconOfKind, nounOf } from "../../kinds/registry.ts";

/** Confirms a deletion. Lists everything that will be deleted and requires the user to type the entity's name. */
export function DeleteDialog(props: {
  readonly kind: KindName;
  readonly entities: readonly Stored<AnyEntity>[];
  /** Called when the dialog closes. `isDone` is true if the deletion was requested. */
  readonly onClose: (isDone: boolean) => void;
}): ReactNode {
  const { kind, entities, onClose } = props;
  const project = useProject();
  const kinds = useLive((state) => state.kinds);
  const [typed, setTyped] = useState("");
  const [force, setForce] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [first] = entities;
  const phrase = entities.length === 1 ? (first?.metadata.name ?? "") : `delete ${entities.length}`;
  const roots = entities.map((entity) => ({ kind, entity }));
  const going = [...roots, ...roots.flatMap((root) => subtreeOf(kinds, root))];
  const locked = going.filter(({ entity }) => entity.metadata.deletionProtection === true);
  const kept = going.filter(({ entity }) => entity.metadata.deletionPolicy === "retain");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      for (const { metadata } of entities) {
        const place = placeOf(project, kind, metadata.parent);
        await client.resource(kind, place).delete(metadata.name, { cascade: going.length > entities.length, force });
      }
      toast("good", entities.length === 1 ? `Deleting ${phrase}` : `Deleting ${entities.length} items`);
      onClose(true);
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={() => onClose(false)}
      title={`Delete ${entities.length === 1 ? phrase : `${entities.length} items`}`}
      size="lg"
    >
      <form className="cw-stack" onSubmit={(event) => void submit(event)}>
        <div>
          <div style={{ marginBottom: 6 }}>The following items and all their cloud resources will be deleted:</div>
          <div
            className="cw-panel"
            style={{ maxHeight: 240, overflow: "auto" }}
            tabIndex={0}
            role="region"
            aria-label="Items to delete"
          >
            <table className="cw-plain" data-testid="going">
              <tbody>
                {going.map((each) => (
                  <tr key={each.entity.metadata.uid}>
                    <td>
                      <Icon name={iconOfKind(each.kind)} size={16} /> <span className="cw-muted">{nounOf(each.kind)}</span>{" "}
                      <b>{each.entity.metadata.name}</b>
                    </td>
                    <td style={{ textAlign: "right" }}>
                      <Phase state={each.entity.status?.phase} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </div>
        {locked.length > 0 && (
          <Note tone="warn">
            <p>
              Protected from deletion: {locked.map(({ entity }) => entity.metadata.name).join(", ")}. Remove the protection first.
            </p>
          </Note>
        )}
        {kept.length > 0 && (
          <Note tone="busy">
            <p>
              Cloud resources are kept: {kept.map(({ entity }) => entity.metadata.name).join(", ")}. These items are removed from
              the platform only.
            </p>
          </Note>
        )}
        <TypedConfirmation phrase={phrase} typed={typed} onType={setTyped} />
        <Checkbox
          label="Ignore resources that cannot be deleted"
          description="They are recorded as abandoned. Use this only if the cloud account no longer exists."
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
        <FaultNote error={error} />
        <div className="cw-row" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={() => onClose(false)}>
            Cancel
          </Button>
          <Button color="red.9" type="submit" loading={isBusy} disabled={typed !== phrase || locked.length > 0}>
            {going.length > 1 ? `Delete ${going.length} items` : "Delete"}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
