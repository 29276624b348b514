import { Button } from "@mantine/core";
import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState, type FormEvent, type ReactNode } from "react";
import { client, collectWarnings, toFault } from "../../data/client.ts";
import { useLive } from "../../data/live.tsx";
import { entityPath, pathOf, placeOf } from "../../data/paths.ts";
import { anywhere, permissionsQuery, readPermissions, useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { useProbe } from "../../preflight/use-probe.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, FaultNote, Note, Page, Panel } from "../../design/layout.tsx";
import { Missing } from "../../shell/broken.tsx";
import { concealSecrets } from "../../clouds/registry.ts";
import type { Draft, FieldsProps } from "../../kinds/create-form.ts";
import type { KindView } from "../../kinds/kind-view.ts";
import { kindViews, pluralOf } from "../../kinds/registry.ts";
import { buildEntity } from "./build-entity.ts";
import { CheckStep } from "./check-step.tsx";
import { allowsCreation, isObstacle, listFindings } from "../../preflight/assess-probe.ts";
import { placeField } from "./field-labels.ts";
import { Fields } from "./fields.tsx";
import { Warnings } from "../../preflight/warnings.tsx";
import { EntityAsCode } from "./entity-as-code.tsx";
import { OtherSettings } from "./other-settings.tsx";
import { parseDraft } from "./parse-draft.ts";
import { useDraft } from "./use-draft.ts";

/**
 * Shows the create form. The server validates the input as the user types. The page also shows the entity as YAML, as a command and as
 * an API call.
 */
export function CreatePage(): ReactNode {
  const { kind: word = "" } = useParams({ strict: false });
  const view = kindViews.find(({ kind }) => getKind(kind).words[0] === word);
  const permissions = useQuery(permissionsQuery(useProject()));
  if (view === undefined) return <Missing />;
  if (permissions.isSuccess && !readPermissions(permissions.data)(view.kind, "create", anywhere))
    return (
      <Page title={`Create ${view.noun}`}>
        <Panel>
          <Empty icon="access" title="Your role does not allow you to create this">
            This requires the {view.form.role} role.
          </Empty>
        </Panel>
      </Page>
    );
  return <CreateEntity key={word} view={view} />;
}

function CreateEntity({ view }: { readonly view: KindView }): ReactNode {
  const { kind, noun, form } = view;
  const project = useProject();
  const navigate = useNavigate();
  const can = useCan();
  const [draft, change, replace] = useDraft(view);
  // Until all entities have been received, the suggested values, such as the parent, are unknown.
  const hasSuggestions = useLive((state) => state.synced || state.refusal !== undefined);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const entity = useMemo(() => buildEntity(form, draft), [form, draft]);
  const [settled] = useDebouncedValue(entity, 250);
  const place = placeOf(project, kind, draft.parent || "-");
  const resource = client.resource(kind, place);
  const mayCreate = can(kind, "create", draft.environment);
  const isChecked = form.hasPreflight && can(kind, "preflight", draft.environment);
  const isBegun = draft.name !== "";
  const check = useQuery({
    queryKey: ["check", project, kind, draft.parent, concealSecrets(settled.spec ?? {}), settled.metadata],
    queryFn: ({ signal }) =>
      collectWarnings((onWarning) => resource.create(settled as never, { dryRun: true, signal, onWarning })),
    enabled: isBegun && mayCreate,
    gcTime: 0,
  });
  const fault = check.error === null ? undefined : toFault(check.error);
  const probe = useProbe(
    (onWarning) =>
      client.resource(kind, place).act(draft.name, "preflight", { body: entity, onWarning }) as Promise<Stored<AnyEntity>>,
  );
  const [step, setStep] = useState<"settings" | "check">("settings");
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const obstacles = listFindings(probe).filter(isObstacle);
  const at: FieldsProps["at"] = (path, ...others) => ({
    "data-field": path,
    error: [path, ...others].map((each) => errorOf(each)).find((message) => message !== undefined),
  });
  const errorOf = (path: string): string | undefined =>
    (touched.has(path) ? fault?.fields.find(({ field }) => field.replace(/^entity\./, "") === path)?.message : undefined) ??
    (answered.has(path) ? undefined : obstacles.find(({ field = "" }) => placeField(form, field) === path)?.message);
  const set = (path: string, part: Partial<Draft>): void => {
    setTouched(new Set([...touched, path]));
    setAnswered(new Set([...answered, path]));
    change(part);
  };
  const goTo = (field: string): void => {
    setStep("settings");
    // Waits until React has rendered the fields again.
    requestAnimationFrame(() => focusField(placeField(form, field)));
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isChecked && step === "settings") {
      setAnswered(new Set());
      setStep("check");
      return probe.begin();
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
  // Kinds without a list page are listed on their parent's page.
  const listed = view.list === undefined ? (getKind(kind).parent?.kind ?? kind) : kind;
  const { collection } = getKind(listed);
  const isSound = check.isSuccess && settled === entity;
  return (
    <Page
      title={`Create ${noun}`}
      crumbs={
        <>
          <Link className="cw-link" to={pathOf(project, "k", collection)}>
            {pluralOf(listed)}
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
            <>
              <Fields form={form} draft={draft} set={set} at={at} />
              <OtherSettings rest={draft.rest} metadata={draft.restOfMetadata} />
            </>
          ) : (
            <CheckStep view={view} project={project} entity={entity} probe={probe} onGo={goTo} />
          )}
          <FaultNote error={error} />
          {isBegun && !mayCreate && (
            <Note tone="warn">
              <p>Your role covers only some environments. Select one of them.</p>
            </Note>
          )}
          <div className="cw-row">
            {isChecked && step === "settings" ? (
              <Button type="submit" size="md" disabled={!isBegun || !hasSuggestions}>
                Check
              </Button>
            ) : (
              <Button type="submit" size="md" loading={isBusy} disabled={step === "check" ? !allowsCreation(probe) : !isSound}>
                Create {noun}
              </Button>
            )}
            {step === "check" && (
              <Button variant="default" size="md" onClick={() => setStep("settings")}>
                Back
              </Button>
            )}
            <Button component={Link} to={pathOf(project, "k", collection)} variant="default" size="md">
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
                <div className="cw-stack">
                  <Note tone="good">
                    <p>The configuration is valid.</p>
                  </Note>
                  <Warnings of={check.data} />
                </div>
              )}
              {isBegun && fault !== undefined && <FaultNote error={check.error} />}
              {isBegun && !isSound && fault === undefined && <span className="cw-muted">Validating…</span>}
            </Panel>
          )}
          <EntityAsCode
            kind={kind}
            entity={{ ...entity, spec: concealSecrets(entity.spec ?? {}) }}
            project={project}
            parent={draft.parent}
            onEdit={(text) => {
              const parsed = parseDraft(view, text, entity);
              if ("problem" in parsed) return parsed.problem;
              replace(parsed.draft);
              return undefined;
            }}
          />
        </div>
      </form>
    </Page>
  );
}

/** Shows which of the form's two steps is active. */
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

/** Moves the focus to a field's input, or to the first input in a group of fields. */
function focusField(path: string): void {
  const found = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(path)}"]`);
  found?.closest("details")?.setAttribute("open", "");
  const input = found?.matches("input, textarea, button") === true ? found : found?.querySelector<HTMLElement>("input, button");
  input?.focus();
  input?.scrollIntoView({ block: "center" });
}
