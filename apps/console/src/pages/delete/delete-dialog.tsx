import { Button, Checkbox, Modal } from "@mantine/core";
import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { useCallback, useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useHasRole } from "../../data/has-role.ts";
import { useLive } from "../../data/live.tsx";
import { placeOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { subtreeOf } from "../../data/references.ts";
import { FaultNote, Note } from "../../design/layout.tsx";
import { toast } from "../../design/toasts.tsx";
import { TypedConfirmation } from "../../design/typed-confirmation.tsx";
import { RemovalList, type OnPending } from "./removal-list.tsx";
import type { VolumeChoice } from "./use-removal.ts";
import { VolumeChoiceField } from "./volume-choice.tsx";

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
  const [volumes, setVolumes] = useState<VolumeChoice>("");
  const [pending, setPending] = usePending();
  const hasAdmin = useHasRole("admin");
  const [first] = entities;
  const phrase = entities.length === 1 ? (first?.metadata.name ?? "") : `delete ${entities.length}`;
  const roots = entities.map((entity) => ({ kind, entity }));
  const going = [...roots, ...roots.flatMap((root) => subtreeOf(kinds, root))];
  const locked = going.filter(({ entity }) => entity.metadata.deletionProtection === true);
  const kept = going.filter(({ entity }) => entity.metadata.deletionPolicy === "retain");
  const mayForce = getKind(kind).provisioned && going.every(({ entity }) => hasAdmin(entity.metadata.environment ?? ""));
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      for (const { metadata } of entities) {
        const place = placeOf(project, kind, metadata.parent);
        await client.resource(kind, place).delete(metadata.name, {
          cascade: going.length > entities.length,
          force,
          volumes: volumes === "" ? undefined : volumes,
        });
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
          <RemovalList going={going} volumes={volumes} onPending={setPending} />
        </div>
        {going.some((each) => getKind(each.kind).hasClaimVolumes === true) && (
          <VolumeChoiceField value={volumes} onChange={setVolumes} />
        )}
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
        {mayForce && (
          <Checkbox
            label="Ignore resources that cannot be deleted"
            description="They are recorded as abandoned. Use this only if the cloud account no longer exists."
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
        )}
        <FaultNote error={error} />
        <div className="cw-row" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={() => onClose(false)}>
            Cancel
          </Button>
          <Button
            color="red.9"
            type="submit"
            loading={isBusy}
            disabled={typed !== phrase || locked.length > 0 || pending.size > 0}
          >
            {going.length > 1 ? `Delete ${going.length} items` : "Delete"}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** Tracks the uids of the entities whose resources are still being listed. The delete button is disabled until this set is empty. */
function usePending(): readonly [ReadonlySet<string>, OnPending] {
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set());
  const change = useCallback<OnPending>((uid, isPending) => {
    setPending((before) => new Set([...before, uid].filter((each) => each !== uid || isPending)));
  }, []);
  return [pending, change];
}
