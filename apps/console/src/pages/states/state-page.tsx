import { Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { findEntityPath, pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { statesQuery, stateVersionsQuery } from "../../data/queries.ts";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Page, Panel } from "../../design/layout.tsx";
import { Simulated, Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { useSimulated } from "../../data/use-simulated.ts";
import { nounOf } from "../../kinds/registry.ts";
import { Difference } from "./difference.tsx";
import { Resources } from "./resources.tsx";
import { RollBack } from "./roll-back.tsx";

/**
 * Shows one state with its versions. Users can compare two versions, roll back to an earlier one, and adopt or forget individual resources.
 */
export function StatePage(): ReactNode {
  const { uid = "" } = useParams({ strict: false });
  const project = useProject();
  const can = useCan();
  const isSimulated = useSimulated();
  const { data: states } = useQuery(statesQuery(project));
  const { data: versions, error } = useQuery(stateVersionsQuery(project, uid));
  const [pair, setPair] = useState<{ from: number; to: number }>();
  const [back, setBack] = useState<number>();
  const state = states?.find(({ entityUid }) => entityUid === uid);
  const entityTo = findEntityPath(project, state?.entityKind, state?.entityName);
  const newest = versions?.[0]?.version ?? 0;
  const { from, to } = pair ?? { from: versions?.[1]?.version ?? 0, to: newest };
  const numbers = (versions ?? []).map(({ version }) => String(version ?? 0));
  return (
    <Page
      name={`State of ${state?.entityName ?? ""}`}
      title={
        <span className="cw-row">
          State of {state?.entityName ?? ""}
          <Simulated is={state !== undefined && isSimulated(state.entityKind, uid)} />
          {state?.lock !== undefined && <Tag tone="busy">locked by {state.lock.who ?? ""}</Tag>}
        </span>
      }
      sub="Terraform's record of the infrastructure, by version"
      actions={
        entityTo !== undefined && (
          <Button variant="default" component={Link} to={entityTo}>
            Show {nounOf(state?.entityKind ?? "")}
          </Button>
        )
      }
      crumbs={
        <>
          <Link className="cw-link" to={pathOf(project, "states")}>
            states
          </Link>
          <Icon name="chevron" size={13} />
          <span>{state?.entityName ?? uid}</span>
        </>
      }
    >
      {back !== undefined && (
        <RollBack uid={uid} name={state?.entityName ?? ""} version={back} newest={newest} onClose={() => setBack(undefined)} />
      )}
      <FaultNote error={error} />
      <div className="cw-grid">
        <Panel title="Versions" span={6} flush>
          <div className="cw-over">
            <table className="cw-plain">
              <thead>
                <tr>
                  <th>Version</th>
                  <th data-number>Resources</th>
                  <th className="cw-wide">User</th>
                  <th>Written</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {versions?.map((each) => (
                  <tr key={each.version}>
                    <td className="cw-num">
                      <b>{each.version}</b> {each.version === newest && <Tag>latest</Tag>}{" "}
                      {each.rolledBackTo ? <Tag tone="busy">restored from {each.rolledBackTo}</Tag> : null}{" "}
                      {each.deleted === true && <Tag tone="bad">deleted</Tag>}
                    </td>
                    <td data-number>{each.resources ?? 0}</td>
                    <td className="cw-wide cw-muted" style={{ whiteSpace: "nowrap" }}>
                      {each.actor}
                    </td>
                    <td className="cw-muted" style={{ whiteSpace: "nowrap" }}>
                      <Age at={each.createdAt} />
                    </td>
                    <td style={{ textAlign: "right" }}>
                      {each.version !== newest && each.deleted !== true && can("State", "rollback") && (
                        <Button size="compact-xs" variant="default" onClick={() => setBack(each.version)}>
                          Roll back
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Panel>
        <Panel
          title="Differences"
          span={6}
          flush
          actions={
            numbers.length > 1 && (
              <>
                <Select
                  size="xs"
                  w={74}
                  aria-label="From version"
                  allowDeselect={false}
                  data={numbers}
                  value={String(from)}
                  onChange={(value) => setPair({ from: Number(value), to })}
                />
                <span className="cw-muted">to</span>
                <Select
                  size="xs"
                  w={74}
                  aria-label="To version"
                  allowDeselect={false}
                  data={numbers}
                  value={String(to)}
                  onChange={(value) => setPair({ from, to: Number(value) })}
                />
              </>
            )
          }
        >
          <Difference uid={uid} from={from} to={to} />
        </Panel>
        {can("StateResource", "list") && <Resources uid={uid} name={state?.entityName ?? ""} />}
      </div>
    </Page>
  );
}
