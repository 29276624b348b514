import type { KindName } from "@cloudwright/api-client";
import { Button, Modal, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useLocations } from "../../data/use-locations.ts";
import { useLive } from "../../data/live.tsx";
import { findEntityPath, pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { planQuery } from "../../data/queries.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, Facts, FaultNote, Note, Page, Panel, Prose } from "../../design/layout.tsx";
import { Phase, Simulated, Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { toast } from "../../design/toasts.tsx";
import { nounOf } from "../../kinds/registry.ts";
import { countChanges, Counts } from "./counts.tsx";
import { PlanDiff } from "./plan-diff.tsx";
import { Resources } from "./resources/resources.tsx";

/** Shows a run with its planned changes, policy findings and approval. */
export function RunPage(): ReactNode {
  const { uid = "" } = useParams({ strict: false });
  const project = useProject();
  const can = useCan();
  const locations = useLocations();
  const queries = useQueryClient();
  const { data: plan, error } = useQuery(planQuery(project, uid));
  const [judging, setJudging] = useState<"approve" | "discard">();
  const run = plan?.run;
  const entity = useLive(({ kinds }) => kinds[run?.entityKind as KindName]?.get(run?.entityUid ?? ""));
  const entityTo = findEntityPath(project, run?.entityKind, run?.entityName);
  if (error !== null)
    return (
      <Page title="Run">
        <FaultNote error={error} />
      </Page>
    );
  if (plan === undefined || run === undefined)
    return (
      <Page title="Run">
        <div style={{ height: 400 }} aria-busy="true" />
      </Page>
    );
  const state = run.state ?? "";
  const isOver = run.endedAt !== undefined;
  const isWaiting = state === "NEEDS_APPROVAL";
  const environment = run.environment ?? "";
  const changes = plan.changes ?? [];
  const drift = plan.drift ?? [];
  return (
    <Page
      name={`Run of ${run.entityName ?? ""}`}
      title={
        <span className="cw-row">
          {run.purpose === "destroy" ? "Deletion" : "Plan"} of {run.entityName} <Phase state={state} work />
          <Simulated is={entity !== undefined && locations.of(run.entityKind ?? "", entity).simulated} />
        </span>
      }
      sub={run.message}
      crumbs={
        <>
          <Link className="cw-link" to={pathOf(project, "runs")}>
            runs
          </Link>
          <Icon name="chevron" size={13} />
          <span className="cw-mono">{uid}</span>
        </>
      }
      actions={
        <>
          {(isWaiting || state === "PLANNED") && can("Run", "discard", environment) && (
            <Button variant="default" onClick={() => setJudging("discard")}>
              Discard
            </Button>
          )}
          {isWaiting && can("Run", "approve", environment) && (
            <Button color="teal.9" onClick={() => setJudging("approve")} leftSection={<Icon name="check" size={16} />}>
              Approve and apply
            </Button>
          )}
        </>
      }
    >
      {judging !== undefined && (
        <Judgement
          verb={judging}
          uid={uid}
          onClose={(isDone) => {
            setJudging(undefined);
            if (isDone) void queries.invalidateQueries();
          }}
        />
      )}
      <div className="cw-stack">
        {(run.findings ?? []).map((finding) => (
          <Note key={`${finding.rule ?? ""}${finding.path ?? ""}`} tone={finding.severity === "must" && !isOver ? "bad" : "warn"}>
            <p>
              <b>{finding.message}</b> <code className="cw-small">{finding.path}</code>
            </p>
            <p className="cw-small cw-muted">
              {!isOver && <Prose of={finding.fix} />} <Tag>{finding.rule}</Tag>
            </p>
          </Note>
        ))}
        <Resources project={project} run={run} isOver={isOver} isOnPlan />
        <div className="cw-grid">
          <div className="cw-stack" data-span={8}>
            <Panel
              title={
                <span className="cw-row">
                  Changes <Counts of={run.counts ?? countChanges(changes)} />
                </span>
              }
              flush
            >
              {changes.length === 0 ? (
                <Empty icon="check" title={state === "PLANNING" ? "Planning" : "No changes"} />
              ) : (
                <PlanDiff changes={changes} />
              )}
            </Panel>
            {drift.length > 0 && (
              <Panel
                flush
                title={
                  <span className="cw-row">
                    Drift since the last run
                    {(run.counts?.overwritten ?? 0) > 0 && (
                      <Tag tone="warn">
                        this {state === "DONE" ? "run undid" : "plan undoes"} changes to {run.counts?.overwritten} of{" "}
                        {drift.length}
                      </Tag>
                    )}
                  </span>
                }
              >
                <PlanDiff changes={drift} isApplied={state === "DONE"} />
              </Panel>
            )}
          </div>
          <Panel title="Details" span={4}>
            <Facts
              of={[
                [
                  "Entity",
                  entityTo === undefined || entity === undefined ? (
                    `${nounOf(run.entityKind ?? "")} ${run.entityName ?? ""}`
                  ) : (
                    <Link key="of" to={entityTo}>
                      {run.entityName}
                    </Link>
                  ),
                ],
                [
                  "Operation",
                  run.operation === undefined || run.operation === "" ? (
                    ""
                  ) : (
                    <Link key="op" to={pathOf(project, "operations", run.operation)}>
                      {run.operation}
                    </Link>
                  ),
                ],
                ["Planned from", run.stateSerial ? `state serial ${run.stateSerial}` : ""],
                ["Generation", run.entityGeneration],
                ["Started", <Age key="began" at={run.createdAt} />],
                ["Ended", run.endedAt === undefined ? "" : <Age key="ended" at={run.endedAt} />],
                ["Expires", isWaiting ? new Date(run.expiresAt ?? "").toLocaleString() : ""],
                ["Approved by", run.approvedBy],
                ["Discarded by", run.discardedBy],
                ["Comment", run.comment],
              ]}
            />
          </Panel>
        </div>
      </div>
    </Page>
  );
}

function Judgement({
  verb,
  uid,
  onClose,
}: {
  readonly verb: "approve" | "discard";
  readonly uid: string;
  readonly onClose: (isDone: boolean) => void;
}): ReactNode {
  const project = useProject();
  const [comment, setComment] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const judge = async (): Promise<void> => {
    setBusy(true);
    try {
      await client.runs[verb](project, uid, { comment });
      toast("good", verb === "approve" ? "Approved: this exact plan will be applied" : "Discarded");
      onClose(true);
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={() => onClose(false)} title={verb === "approve" ? "Approve this plan" : "Discard this plan"}>
      <div className="cw-stack">
        <span>
          {verb === "approve"
            ? "Only this exact plan will be applied. It is rejected if anything has changed since."
            : "The plan will not be applied and its operation will fail."}
        </span>
        <Textarea
          label="Comment"
          description="Optional; stored with the run"
          data-autofocus
          value={comment}
          maxLength={1024}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <FaultNote error={error} />
        <Button color={verb === "approve" ? "teal.9" : "red.9"} loading={isBusy} onClick={() => void judge()}>
          {verb === "approve" ? "Approve and apply" : "Discard"}
        </Button>
      </div>
    </Modal>
  );
}
