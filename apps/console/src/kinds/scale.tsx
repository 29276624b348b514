import { Button, Modal, NumberInput } from "@mantine/core";
import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../data/client.ts";
import { pathOf, placeOf } from "../data/paths.ts";
import { useProject } from "../data/project.ts";
import { Icon } from "../design/icons.tsx";
import { FaultNote } from "../design/layout.tsx";

/** Renders a form that changes the sizes in an entity's spec, such as the number of nodes. */
export function Scale(props: {
  readonly kind: KindName;
  readonly entity: Stored<AnyEntity>;
  /** The labels of the size fields, keyed by field name in the spec. */
  readonly sizes: Readonly<Record<string, string>>;
}): ReactNode {
  const { kind, entity } = props;
  const { name, parent } = entity.metadata;
  const project = useProject();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const current = (entity.spec ?? {}) as Readonly<Record<string, number | undefined>>;
  const [sizes, setSizes] = useState(() =>
    Object.fromEntries(Object.keys(props.sizes).map((field) => [field, current[field] ?? 0])),
  );
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const resource = client.resource<KindName>(kind, placeOf(project, kind, parent));
      const { metadata } = await resource.patch(name, { spec: sizes });
      setOpen(false);
      if (metadata.operation !== undefined && metadata.operation !== "")
        await navigate({ to: pathOf(project, "operations", metadata.operation) });
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button variant="default" leftSection={<Icon name="nodepool" size={16} />} onClick={() => setOpen(true)}>
        Scale
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Scale ${name}`}>
        <form className="cw-stack" onSubmit={(event) => void submit(event)}>
          {Object.entries(props.sizes).map(([field, label]) => (
            <NumberInput
              key={field}
              label={label}
              min={0}
              max={1000}
              value={sizes[field] ?? 0}
              onChange={(value) => setSizes({ ...sizes, [field]: Number(value) })}
            />
          ))}
          <FaultNote error={error} />
          <Button type="submit" loading={isBusy}>
            Scale
          </Button>
        </form>
      </Modal>
    </>
  );
}
