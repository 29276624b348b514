import { Button, Modal, NumberInput } from "@mantine/core";
import type { AnyEntity, EntityByKind, Stored } from "@cloudwright/api-client";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { Icon } from "../../design/icons.tsx";
import { FaultNote } from "../../design/layout.tsx";

/** Changes the number of nodes of a cluster or node pool. */
export function Resize(props: {
  readonly kind: "Cluster" | "NodePool";
  readonly name: string;
  readonly parent: string | undefined;
  readonly entity: Stored<AnyEntity>;
}): ReactNode {
  const { kind, name, parent } = props;
  const project = useProject();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const cluster = (props.entity as EntityByKind["Cluster"]).spec;
  const pool = (props.entity as EntityByKind["NodePool"]).spec;
  const [size, setSize] = useState({
    workers: cluster?.workers ?? 0,
    min: pool?.min ?? 0,
    desired: pool?.desired ?? 0,
    max: pool?.max ?? 0,
  });
  const number = (label: string, field: keyof typeof size): ReactNode => (
    <NumberInput
      label={label}
      min={0}
      max={1000}
      value={size[field]}
      onChange={(value) => setSize({ ...size, [field]: Number(value) })}
    />
  );
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { workers, ...sizes } = size;
      const spec = kind === "Cluster" ? { workers } : sizes;
      const place = { project, ...(parent === undefined ? {} : { cluster: parent }) };
      const { metadata } = await client.resource(kind, place).patch(name, { spec });
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
          {kind === "Cluster"
            ? number("Workers in the default node pool", "workers")
            : [number("Minimum", "min"), number("Desired", "desired"), number("Maximum", "max")].map((field, index) => (
                <div key={index}>{field}</div>
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
