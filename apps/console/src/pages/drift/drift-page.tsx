import { Button, Switch } from "@mantine/core";
import type { AnyEntity, DriftJson, Stored } from "@cloudwright/api-client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { checkedKinds, isCheckable, summarizeDrift } from "../../data/drift-state.ts";
import { useLive } from "../../data/live.tsx";
import { findEntityPath, pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { driftsQuery } from "../../data/queries.ts";
import { useSimulated } from "../../data/use-simulated.ts";
import { EntityLabel } from "../../design/entity-label.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, FaultNote, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { Phase, Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";
import { iconOfKind, nounOf } from "../../kinds/registry.ts";
import { Attributes } from "../run/attributes.tsx";
import "../run/plan-diff.css";
import { CheckButton } from "./check-button.tsx";
import { ChecksTable } from "./checks-table.tsx";

/** Lists drift reports and lets the user accept or correct each of them. */
export function DriftPage(): ReactNode {
  const project = useProject();
  const { data, error } = useQuery(driftsQuery(project));
  const [isAll, setAll] = useState(false);
  const can = useCan();
  const kinds = useLive((state) => state.kinds);
  const entities = checkedKinds.flatMap((kind): Stored<AnyEntity>[] => [...(kinds[kind]?.values() ?? [])]);
  const mine = entities.filter((each) => isCheckable(each) && can("Drift", "check", each.metadata.environment ?? ""));
  const summary = summarizeDrift(entities);
  const shown = (data ?? []).filter(({ state }) => isAll || state === "OPEN");
  return (
    <Page
      title="Drift"
      sub={`Changes to cloud resources made outside the platform. Result of the last checks: ${summary}`}
      actions={
        <>
          <Switch size="sm" label="Include resolved" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} />
          {mine.length > 0 && <CheckButton size="sm" uids={mine.map(({ metadata }) => metadata.uid)} />}
        </>
      }
    >
      <FaultNote error={error} />
      <div className="cw-stack">
        {data === undefined && error === null && (
          <Panel flush>
            <Loading rows={3} />
          </Panel>
        )}
        {data !== undefined && shown.length === 0 && (
          <Panel>
            <Empty icon={summary === "everything matches what was applied" ? "check" : "clock"} title="No open drift reports">
              The platform checks all networks, clusters and storage every 12 hours unless CLOUDWRIGHT_DRIFT_CHECK sets another
              interval.
            </Empty>
          </Panel>
        )}
        {shown.map((drift) => (
          <Report key={drift.uid} drift={drift} />
        ))}
        {entities.some(isCheckable) && <ChecksTable kinds={kinds} />}
      </div>
    </Page>
  );
}

function Report({ drift }: { readonly drift: DriftJson }): ReactNode {
  const project = useProject();
  const isSimulated = useSimulated();
  const can = useCan();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const items = drift.items ?? [];
  const isGone = items.some(({ action }) => action === "delete");
  const environment = drift.environment ?? "";
  const act = async (verb: "accept" | "correct"): Promise<void> => {
    setBusy(true);
    let operation = "";
    try {
      await client.drifts[verb](project, drift.uid ?? "", { onAccepted: (name) => (operation = name) });
      toast("good", verb === "accept" ? "Accepted: changes to these attributes are now ignored" : "Drift is being corrected");
      await queries.invalidateQueries({ queryKey: ["drifts", project] });
      if (operation !== "") await navigate({ to: pathOf(project, "operations", operation) });
    } catch (fault) {
      toastFault(fault);
    }
    setBusy(false);
  };
  return (
    <Panel
      flush
      title={
        <span className="cw-row">
          <EntityLabel
            icon={iconOfKind(drift.entityKind ?? "")}
            name={drift.entityName ?? ""}
            to={findEntityPath(project, drift.entityKind, drift.entityName)}
            kind={nounOf(drift.entityKind ?? "")}
            simulated={isSimulated(drift.entityKind, drift.entityUid)}
          />
          <Phase state={drift.state} />
          {environment !== "" && <Tag>{environment}</Tag>}
        </span>
      }
      actions={
        <>
          <span className="cw-muted cw-small">
            found <Age at={drift.foundAt} />
          </span>
          {drift.state === "OPEN" && !isGone && can("Drift", "accept", environment) && (
            <Button size="xs" variant="default" loading={isBusy} onClick={() => void act("accept")}>
              Accept
            </Button>
          )}
          {drift.state === "OPEN" && can("Drift", "correct", environment) && (
            <Button size="xs" loading={isBusy} onClick={() => void act("correct")} leftSection={<Icon name="retry" size={14} />}>
              Correct
            </Button>
          )}
        </>
      }
    >
      <table className="cw-plain cw-stacked">
        <thead>
          <tr>
            <th style={{ width: 96 }}>Change</th>
            <th>Resource</th>
            <th>Changed attributes</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.address}>
              <td>
                <Tag tone={item.action === "delete" ? "bad" : "warn"}>{item.action === "delete" ? "deleted" : "changed"}</Tag>
              </td>
              <td className="cw-mono">{item.address}</td>
              <td className="cw-mono">
                {item.action === "delete" ? (
                  <span className="cw-muted">the resource no longer exists</span>
                ) : (item.attributes ?? []).length > 0 ? (
                  <Attributes change={item} />
                ) : (
                  item.paths?.join(", ")
                )}
                {item.author !== undefined && item.author !== "" && (
                  <div className="cw-muted cw-small">
                    by {item.author}
                    {item.authorAction !== undefined && item.authorAction !== "" && ` (${item.authorAction})`}{" "}
                    {item.changedAt !== undefined && <Age at={item.changedAt} />}
                  </div>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="cw-foot cw-ruled">
        {drift.state === "OPEN" && (
          <span>
            {isGone
              ? "Select Correct to recreate the deleted resources."
              : "Select Accept to keep the changes and ignore these attributes from now on, or Correct to restore the specified values."}
          </span>
        )}
        {(drift.ignored ?? 0) > 0 && <span>Changes ignored because of a rule: {drift.ignored}</span>}
      </div>
    </Panel>
  );
}
