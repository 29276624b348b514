import { Button } from "@mantine/core";
import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState, type FormEvent, type ReactNode } from "react";
import { client, toFault } from "../../data/client.ts";
import { useEntities } from "../../data/live.tsx";
import { entityPath, pathOf } from "../../data/paths.ts";
import { anywhere, permissionsQuery, readPermissions, useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { useLook } from "../../data/use-look.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, FaultNote, Note, Page, Panel } from "../../design/layout.tsx";
import { Missing } from "../../shell/broken.tsx";
import { buildEntity, concealSecrets, emptyDraft, type Draft } from "./build-entity.ts";
import { creatable, type CreatableKind } from "./creatable.ts";
import { CheckStep } from "./check-step.tsx";
import { allowsCreation, hasCheck, isObstacle, listFindings } from "./weigh-look.ts";
import { placeField } from "./field-labels.ts";
import type { FieldsProps } from "./fields-props.ts";
import { Fields } from "./fields.tsx";
import { suggestRange } from "./plan-addresses.ts";
import { SameAs } from "./same-as.tsx";

/** Shows the create form. The server validates it while the user types; the entity is shown as YAML, command and API call. */
export function CreatePage(): ReactNode {
  const { kind: word = "" } = useParams({ strict: false });
  const found = creatable.find((each) => each.word === word);
  const permissions = useQuery(permissionsQuery(useProject()));
  if (found === undefined) return <Missing />;
  if (permissions.isSuccess && !readPermissions(permissions.data)(found.kind, "create", anywhere))
    return (
      <Page title={`Create ${word}`}>
        <Panel>
          <Empty icon="access" title="Your role cannot create this">
            {found.kind === "Account" ? "Admins" : "Editors"} of the project can do this.
          </Empty>
        </Panel>
      </Page>
    );
  return <CreateForm key={word} {...found} />;
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
  const place = { project, ...(kind === "NodePool" ? { cluster: draft.cluster || "-" } : {}) };
  const resource = client.resource(kind, place);
  const mayCreate = can(kind, "create", draft.environment);
  const isChecked = hasCheck(kind) && can(kind, "preflight", draft.environment);
  const isBegun = draft.name !== "";
  const check = useQuery({
    queryKey: ["check", project, kind, draft.cluster, concealSecrets(settled)],
    queryFn: ({ signal }) => resource.create(settled as never, { dryRun: true, signal }),
    enabled: isBegun && mayCreate,
    gcTime: 0,
  });
  const fault = check.error === null ? undefined : toFault(check.error);
  const look = useLook(
    () => client.resource(kind, place).act(draft.name, "preflight", { body: entity }) as Promise<Stored<AnyEntity>>,
  );
  const [step, setStep] = useState<"settings" | "check">("settings");
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const obstacles = listFindings(look).filter(isObstacle);
  const at: FieldsProps["at"] = (path, ...others) => ({
    "data-field": path,
    error: [path, ...others].map((each) => errorOf(each)).find((message) => message !== undefined),
  });
  const errorOf = (path: string): string | undefined =>
    (touched.has(path) ? fault?.fields.find(({ field }) => field.replace(/^entity\./, "") === path)?.message : undefined) ??
    (answered.has(path) ? undefined : obstacles.find(({ field = "" }) => placeField(field) === path)?.message);
  const set = (path: string, part: Partial<Draft>): void => {
    setTouched(new Set([...touched, path]));
    setAnswered(new Set([...answered, path]));
    change(part);
  };
  const goTo = (field: string): void => {
    setStep("settings");
    // Waits until the fields are rendered again.
    requestAnimationFrame(() => focusField(placeField(field)));
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isChecked && step === "settings") {
      setAnswered(new Set());
      setStep("check");
      return look.begin();
    }
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
          {isChecked && <StepMarks step={step} />}
          {step === "settings" ? (
            <Fields kind={kind} draft={draft} set={set} at={at} />
          ) : (
            <CheckStep kind={kind} project={project} entity={entity} look={look} onGo={goTo} />
          )}
          <FaultNote error={error} />
          {isBegun && !mayCreate && (
            <Note tone="warn">
              <p>Your role covers only some environments. Select one of them.</p>
            </Note>
          )}
          <div className="cw-row">
            {isChecked && step === "settings" ? (
              <Button type="submit" size="md" disabled={!isBegun}>
                Check
              </Button>
            ) : (
              <Button type="submit" size="md" loading={isBusy} disabled={step === "check" ? !allowsCreation(look) : !isSound}>
                Create {word}
              </Button>
            )}
            {step === "check" && (
              <Button variant="default" size="md" onClick={() => setStep("settings")}>
                Back
              </Button>
            )}
            <Button
              component={Link}
              to={pathOf(project, "k", kind === "NodePool" ? "clusters" : collection)}
              variant="default"
              size="md"
            >
              Cancel
            </Button>
          </div>
        </div>
        <div className="cw-stack cw-stick" data-span={5}>
          {step === "settings" && (
            <Panel title="Server validation">
              {!isBegun && (
                <span className="cw-muted">
                  Enter a name to validate this form against the server's rules, the project's quotas and its policies. Nothing is
                  created until you select Create.
                </span>
              )}
              {isBegun && isSound && (
                <Note tone="good">
                  <p>The configuration is valid.</p>
                </Note>
              )}
              {isBegun && fault !== undefined && <FaultNote error={check.error} />}
              {isBegun && !isSound && fault === undefined && <span className="cw-muted">Validating…</span>}
            </Panel>
          )}
          <SameAs kind={kind} entity={concealSecrets(entity)} project={project} cluster={draft.cluster} />
        </div>
      </form>
    </Page>
  );
}

/** Shows the current step of a form with two steps. */
function StepMarks({ step }: { readonly step: "settings" | "check" }): ReactNode {
  const mark = (name: "settings" | "check", text: string): ReactNode => (
    <li className="cw-step" data-tone={step === name ? "busy" : "idle"} aria-current={step === name ? "step" : undefined}>
      <strong>{text}</strong>
    </li>
  );
  return (
    <ol className="cw-steps" style={{ listStyle: "none", margin: 0, padding: 0 }} aria-label="Steps">
      {mark("settings", "1 Settings")}
      {mark("check", "2 Check")}
    </ol>
  );
}

/** Moves the focus to the input of a field, or to the first input of a group. */
function focusField(path: string): void {
  const found = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(path)}"]`);
  const input = found?.matches("input, textarea, button") === true ? found : found?.querySelector<HTMLElement>("input, button");
  input?.focus();
  input?.scrollIntoView({ block: "center" });
}

/** Returns the form values: the user's input over suggested defaults. The suggestions may arrive while the user types. */
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
