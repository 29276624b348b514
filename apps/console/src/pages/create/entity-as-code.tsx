import { SegmentedControl } from "@mantine/core";
import type { KindName } from "@cloudwright/api-client";
import { useState, type ReactNode } from "react";
import { renderCall, renderCommand, renderYaml } from "../../data/render-entity.ts";
import { isNested } from "../../data/paths.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Panel } from "../../design/layout.tsx";

const forms = ["YAML", "Command", "API call"] as const;

/** Shows the entity as YAML, as a command and as an API call. */
export function EntityAsCode({
  kind,
  entity,
  project,
  parent,
}: {
  readonly kind: KindName;
  readonly entity: Parameters<typeof renderYaml>[1];
  readonly project: string;
  readonly parent: string;
}): ReactNode {
  const [form, setForm] = useState<string>("YAML");
  const at = { project, server: location.origin };
  const placed = isNested(kind) ? { ...entity, metadata: { ...entity.metadata, parent } } : entity;
  const text =
    form === "YAML"
      ? renderYaml(kind, placed)
      : form === "Command"
        ? renderCommand(kind, placed, at)
        : renderCall(kind, placed, at);
  const label =
    {
      YAML: "npx cloud apply -f file.yaml",
      Command: "In a terminal, in a clone of the repository",
      "API call": "With an API key in CLOUDWRIGHT_API_KEY",
    }[form] ?? "";
  return (
    <Panel
      title="As code"
      actions={<SegmentedControl size="xs" aria-label="Format" data={[...forms]} value={form} onChange={setForm} />}
    >
      <CodeBlock text={text} label={label} />
    </Panel>
  );
}
