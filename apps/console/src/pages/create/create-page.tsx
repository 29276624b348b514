import { Button, SegmentedControl } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState, type FormEvent, type ReactNode } from "react";
import { client, toFault } from "../../data/client.ts";
import { useEntities } from "../../data/live.tsx";
import { entityPath, pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { renderCall, renderCommand, renderYaml } from "../../data/render-entity.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Note, Page, Panel } from "../../design/layout.tsx";
import { Missing } from "../../shell/broken.tsx";
import { buildEntity, concealSecrets, emptyDraft, type Draft } from "./build-entity.ts";
import { creatable, type CreatableKind } from "./creatable.ts";
import { Fields } from "./fields.tsx";
import { suggestRange } from "./plan-addresses.ts";

/** Makes a new entity by a form that the server checks while one types, and that shows what it would be as YAML, command and call. */
export function CreatePage(): ReactNode {
  const { kind: word = "" } = useParams({ strict: false });
  const found = creatable.find((each) => each.word === word);
  return found === undefined ? <Missing /> : <CreateForm key={word} {...found} />;
}

function CreateForm({
  kind,
  word,
  collection,
}: {
  readonly kind: CreatableKind;
  readonly word: string;
  readonly collection: string;
}): ReactNode {
  const project = useProject();
  const navigate = useNavigate();
  const can = useCan();
  const [draft, change] = useDraft(kind);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const entity = useMemo(() => buildEntity(kind, draft), [kind, draft]);
  const [settled] = useDebouncedValue(entity, 250);
  const resource = client.resource(kind, { project, ...(kind === "NodePool" ? { cluster: draft.cluster || "-" } : {}) });
  const isBegun = draft.name !== "";
  const check = useQuery({
    queryKey: ["check", project, kind, draft.cluster, concealSecrets(settled)],
    queryFn: ({ signal }) => resource.create(settled as never, { dryRun: true, signal }),
    enabled: isBegun && can(kind, "create"),
    gcTime: 0,
  });
  const fault = check.error === null ? undefined : toFault(check.error);
  const errorOf = (path: string): string | undefined =>
    touched.has(path) ? fault?.fields.find(({ field }) => field.replace(/^entity\./, "") === path)?.message : undefined;
  const set = (path: string, part: Partial<Draft>): void => {
    setTouched(new Set([...touched, path]));
    change(part);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { metadata } = await resource.create(entity as never);
      const operation = metadata.operation ?? "";
      await navigate({
        to:
          operation === "" ? entityPath(project, kind, metadata.name, metadata.parent) : pathOf(project, "operations", operation),
      });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const isSound = check.isSuccess && settled === entity;
  return (
    <Page
      title={`Create ${word}`}
      crumbs={
        <>
          <Link
            className="cw-link"
            to={pathOf(project, kind === "NodePool" ? "k/clusters" : `k/${collection}`).replace("%2F", "/")}
          >
            {kind === "NodePool" ? "clusters" : collection}
          </Link>
          <Icon name="chevron" size={13} />
          <span aria-current="page">new</span>
        </>
      }
    >
      <form className="cw-grid" onSubmit={(event) => void submit(event)} noValidate>
        <div className="cw-stack" data-span={7}>
          <Fields kind={kind} draft={draft} set={set} errorOf={errorOf} />
          <FaultNote error={error} />
          <div className="cw-row">
            <Button type="submit" size="md" loading={isBusy} disabled={!isSound}>
              Create {word}
            </Button>
            <Button
              component={Link}
              to={pathOf(project, "k", kind === "NodePool" ? "clusters" : collection)}
              variant="default"
              size="md"
            >
              Leave it
            </Button>
          </div>
        </div>
        <div className="cw-stack cw-stick" data-span={5}>
          <Panel title="Checked by the server">
            {!isBegun && (
              <span className="cw-muted">
                Give it a name, and the server says whether it would accept this: rules, quotas of the project and policies.
                Nothing is made before you say so.
              </span>
            )}
            {isBegun && isSound && (
              <Note tone="good">
                <p>The server accepts this.</p>
              </Note>
            )}
            {isBegun && fault !== undefined && <FaultNote error={check.error} />}
            {isBegun && !isSound && fault === undefined && <span className="cw-muted">Checking…</span>}
          </Panel>
          <SameAs kind={kind} entity={concealSecrets(entity)} project={project} cluster={draft.cluster} />
        </div>
      </form>
    </Page>
  );
}

/** What was typed, over what suggests itself from what there is; that may still be arriving while one types. */
function useDraft(kind: CreatableKind): [Draft, (part: Partial<Draft>) => void] {
  const accounts = useEntities("Account");
  const networks = useEntities("Network");
  const clusters = useEntities("Cluster");
  const [typed, setTyped] = useState<Partial<Draft>>({});
  const draft = useMemo(
    (): Draft => ({
      ...emptyDraft,
      account: accounts[0]?.metadata.name ?? "",
      network: networks[0]?.metadata.name ?? "",
      cluster: new URLSearchParams(location.search).get("cluster") ?? clusters[0]?.metadata.name ?? "",
      ...(kind === "Network" ? { cidr: suggestRange(networks.map(({ spec }) => spec?.cidr ?? "")) } : {}),
      ...typed,
    }),
    [accounts, networks, clusters, kind, typed],
  );
  return [draft, (part) => setTyped((before) => ({ ...before, ...part }))];
}

const forms = ["YAML", "Command", "API call"] as const;

function SameAs({
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
