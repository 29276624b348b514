import { Button, Switch, Textarea } from "@mantine/core";
import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { stringify } from "yaml";
import { useMemo, useState, type ReactNode } from "react";
import { client, collectWarnings } from "../../data/client.ts";
import { parseEntity } from "../../data/parse-entity.ts";
import { placeOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { renderYaml } from "../../data/render-entity.ts";
import { saveDraft } from "../../data/save-draft.ts";
import { CodeBlock } from "../../design/code.tsx";
import { FaultNote, Note, Panel } from "../../design/layout.tsx";
import { toast } from "../../design/toasts.tsx";
import { Warnings } from "../../preflight/warnings.tsx";

/** Shows an entity as YAML and lets the user edit the spec. The server validates the text as the user types. */
export function YamlEditor({
  kind,
  entity,
  mayChange,
}: {
  readonly kind: KindName;
  readonly entity: Stored<AnyEntity>;
  readonly mayChange: boolean;
}): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const [draft, setDraft] = useState<{ text: string; version: string }>();
  if (draft !== undefined)
    return <Draft kind={kind} entity={entity} initial={draft.text} version={draft.version} onClose={() => setDraft(undefined)} />;
  const text = isWhole ? stringify({ kind, ...entity }) : renderYaml(kind, entity);
  return (
    <Panel
      title="YAML"
      actions={
        <>
          <Switch
            size="xs"
            label="Include status"
            checked={isWhole}
            onChange={(event) => setWhole(event.currentTarget.checked)}
          />
          {mayChange && (
            <Button
              size="xs"
              onClick={() => setDraft({ text: renderYaml(kind, entity), version: entity.metadata.resourceVersion })}
            >
              Edit
            </Button>
          )}
        </>
      }
    >
      <CodeBlock text={text} label={isWhole ? "Stored entity" : "Editable fields"} tall />
    </Panel>
  );
}

function Draft(props: {
  readonly kind: KindName;
  readonly entity: Stored<AnyEntity>;
  readonly initial: string;
  readonly version: string;
  readonly onClose: () => void;
}): ReactNode {
  const { kind, entity } = props;
  // Running operations change only the status. A draft conflicts only with changes to the fields that a user can edit.
  const version = renderYaml(kind, entity) === props.initial ? entity.metadata.resourceVersion : props.version;
  const project = useProject();
  const [text, setText] = useState(props.initial);
  const [settled] = useDebouncedValue(text, 300);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const parsed = useMemo(() => parseEntity(settled), [settled]);
  const resource = client.resource(kind, placeOf(project, kind, entity.metadata.parent));
  const asked = (value: AnyEntity, resourceVersion = version): AnyEntity => {
    const { kind: _, ...rest } = value as AnyEntity & { kind?: string };
    const { parent: __, ...metadata } = rest.metadata ?? {};
    return { ...rest, metadata: { ...metadata, resourceVersion } };
  };
  const check = useQuery({
    queryKey: ["check", project, kind, entity.metadata.uid, version, settled],
    queryFn: ({ signal }) =>
      "entity" in parsed
        ? collectWarnings((onWarning) =>
            resource.update(entity.metadata.name, asked(parsed.entity) as never, { dryRun: true, signal, onWarning }),
          )
        : null,
    enabled: "entity" in parsed,
    gcTime: 0,
  });
  const save = async (): Promise<void> => {
    if (!("entity" in parsed)) return;
    setBusy(true);
    setError(undefined);
    try {
      const wanted = parsed.entity;
      await saveDraft({
        version,
        update: (newest) => resource.update(entity.metadata.name, asked(wanted, newest) as never),
        get: () => resource.get(entity.metadata.name) as Promise<Stored<AnyEntity>>,
        isUnchanged: (stored) => renderYaml(kind, stored) === props.initial,
      });
      toast("good", `${entity.metadata.name} updated`);
      props.onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  const isSound = "entity" in parsed && check.isSuccess && settled === text;
  return (
    <Panel title={`Edit ${entity.metadata.name}`}>
      <div className="cw-stack">
        <Textarea
          aria-label="YAML"
          autosize
          minRows={16}
          maxRows={32}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
        />
        {"problem" in parsed && (
          <Note tone="bad">
            <p>
              Line {parsed.line}: {parsed.problem}
            </p>
          </Note>
        )}
        {"entity" in parsed && check.error !== null && <FaultNote error={check.error} />}
        {isSound && text !== props.initial && (
          <>
            <Note tone="good">
              <p>The configuration is valid.</p>
            </Note>
            <Warnings of={check.data ?? []} />
          </>
        )}
        <FaultNote error={error} />
        <div className="cw-row">
          <Button onClick={() => void save()} loading={isBusy} disabled={!isSound || text === props.initial}>
            Save
          </Button>
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
        </div>
      </div>
    </Panel>
  );
}
