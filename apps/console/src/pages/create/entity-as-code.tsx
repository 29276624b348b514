import { Button, SegmentedControl, Textarea } from "@mantine/core";
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
  onEdit,
}: {
  readonly kind: KindName;
  readonly entity: Parameters<typeof renderYaml>[1];
  readonly project: string;
  readonly parent: string;
  /** Applies edited YAML to the form. Returns an error message if the YAML is invalid. */
  readonly onEdit: (text: string) => string | undefined;
}): ReactNode {
  const [edited, setEdited] = useState<string>();
  const [problem, setProblem] = useState<string>();
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
  if (edited !== undefined)
    return (
      <Panel title="Edit as YAML">
        <div className="cw-stack" style={{ gap: 10 }}>
          <Textarea
            aria-label="YAML"
            data-autofocus
            autosize
            minRows={12}
            maxRows={28}
            spellCheck={false}
            value={edited}
            error={problem}
            onChange={(event) => setEdited(event.currentTarget.value)}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
          />
          <span className="cw-muted cw-small">
            All fields of the API are allowed. The form keeps those that it does not show.
          </span>
          <div className="cw-row">
            <Button
              size="sm"
              onClick={() => {
                const found = onEdit(edited);
                setProblem(found);
                if (found === undefined) setEdited(undefined);
              }}
            >
              Apply to form
            </Button>
            <Button
              size="sm"
              variant="default"
              onClick={() => {
                setEdited(undefined);
                setProblem(undefined);
              }}
            >
              Discard
            </Button>
          </div>
        </div>
      </Panel>
    );
  return (
    <Panel
      title="As code"
      actions={
        <>
          <SegmentedControl size="xs" aria-label="Format" data={[...forms]} value={form} onChange={setForm} />
          <Button size="xs" variant="default" onClick={() => setEdited(renderYaml(kind, placed))}>
            Edit
          </Button>
        </>
      }
    >
      <CodeBlock text={text} label={label} />
    </Panel>
  );
}
