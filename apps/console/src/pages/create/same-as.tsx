import { SegmentedControl } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { renderCall, renderCommand, renderYaml } from "../../data/render-entity.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Panel } from "../../design/layout.tsx";
import type { CreatableKind } from "./creatable.ts";

const forms = ["YAML", "Command", "API call"] as const;

/** What a form asks for as YAML, as a command and as a call. */
export function SameAs({
  kind,
  entity,
  project,
  cluster,
}: {
  readonly kind: CreatableKind;
  readonly entity: Parameters<typeof renderYaml>[1];
  readonly project: string;
  readonly cluster: string;
}): ReactNode {
  const [form, setForm] = useState<string>("YAML");
  const at = { project, cluster, server: location.origin };
  const placed = kind === "NodePool" ? { ...entity, metadata: { ...entity.metadata, parent: cluster } } : entity;
  const text =
    form === "YAML"
      ? renderYaml(kind, placed)
      : form === "Command"
        ? renderCommand(kind, placed, at)
        : renderCall(kind, placed, at);
  const label =
    {
      YAML: "npx cloud apply -f file.yaml",
      Command: "In a terminal of the clone",
      "API call": "With a key in CLOUDWRIGHT_API_KEY",
    }[form] ?? "";
  return (
    <Panel
      title="As code"
      actions={<SegmentedControl size="xs" aria-label="Show as" data={[...forms]} value={form} onChange={setForm} />}
    >
      <CodeBlock text={text} label={label} />
    </Panel>
  );
}
