import { Button, Modal, Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { stateDiffQuery, statesQuery, stateVersionsQuery } from "../../data/queries.ts";
import { Icon } from "../../design/icons.tsx";
import { Empty, FaultNote, Note, Page, Panel } from "../../design/layout.tsx";
import type { Tone } from "../../design/phase.ts";
import { Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { toast } from "../../design/toasts.tsx";

const tones: Readonly<Record<string, Tone>> = { added: "good", removed: "bad", changed: "warn" };

/** One state: its versions, what differs between two of them, and the way back to an earlier one. */
export function StatePage(): ReactNode {
  const { uid = "" } = useParams({ strict: false });
  const project = useProject();
  const can = useCan();
  const { data: states } = useQuery(statesQuery(project));
  const { data: versions, error } = useQuery(stateVersionsQuery(project, uid));
  const [pair, setPair] = useState<{ from: number; to: number }>();
  const [back, setBack] = useState<number>();
  const state = states?.find(({ entityUid }) => entityUid === uid);
  const newest = versions?.[0]?.version ?? 0;
  const { from, to } = pair ?? { from: versions?.[1]?.version ?? 0, to: newest };
  const numbers = (versions ?? []).map(({ version }) => String(version ?? 0));
  return (
    <Page
      title={`State of ${state?.entityName ?? ""}`}
      sub={state?.lock === undefined ? undefined : `locked by ${state.lock.who ?? ""}`}
      crumbs={
        <>
          <Link className="cw-link" to={pathOf(project, "states")}>
            states
          </Link>
          <Icon name="chevron" size={13} />
          <span className="cw-mono">{uid}</span>
        </>
      }
    >
      {back !== undefined && <RollBack uid={uid} version={back} onClose={() => setBack(undefined)} />}
      <FaultNote error={error} />
      <div className="cw-grid">
        <Panel title="Versions" span={7} flush>
          <div className="cw-over">
            <table className="cw-plain">
              <thead>
                <tr>
                  <th>Version</th>
                  <th>Resources</th>
                  <th className="cw-wide">By</th>
                  <th>When</th>
                  <th />
                </tr>
              </thead>
              <tbody>
                {versions?.map((each) => (
                  <tr key={each.version}>
                    <td className="cw-num">
                      <b>{each.version}</b> {each.version === newest && <Tag>newest</Tag>}{" "}
                      {each.rolledBackTo ? <Tag tone="busy">back to {each.rolledBackTo}</Tag> : null}{" "}
                      {each.deleted === true && <Tag tone="bad">removed</Tag>}
                    </td>
                    <td className="cw-num">{each.resources ?? 0}</td>
                    <td className="cw-wide cw-muted">{each.actor}</td>
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
          title="What differs"
          span={5}
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
      </div>
    </Page>
  );
}

function Difference({ uid, from, to }: { readonly uid: string; readonly from: number; readonly to: number }): ReactNode {
  const { data, error } = useQuery(stateDiffQuery(useProject(), uid, from, to));
  if (from === 0) return <Empty icon="state" title="There is one version only" />;
  const lines = [
    ...(data?.resources ?? []).map(({ address = "", change = "", attributes = [] }) => ({
      name: address,
      change,
      more: attributes.join(", "),
    })),
    ...(data?.outputs ?? []).map(({ name = "", change = "" }) => ({ name: `output ${name}`, change, more: "" })),
  ];
  return (
    <>
      <FaultNote error={error} />
      {data !== undefined && lines.length === 0 && <Empty icon="check" title="They say the same" />}
      <table className="cw-plain">
        <tbody>
          {lines.map(({ name, change, more }) => (
            <tr key={name}>
              <td style={{ width: 84 }}>
                <Tag tone={tones[change] ?? "idle"}>{change}</Tag>
              </td>
              <td>
                <span className="cw-mono">{name}</span>
                {more !== "" && <div className="cw-muted cw-small">{more}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function RollBack({
  uid,
  version,
  onClose,
}: {
  readonly uid: string;
  readonly version: number;
  readonly onClose: () => void;
}): ReactNode {
  const project = useProject();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    setBusy(true);
    try {
      await client.states.rollback(project, uid, version);
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === "state" || queryKey[0] === "states" });
      toast("good", `Version ${version} is back, as a new one`);
      onClose();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={`Bring version ${version} back`}>
      <div className="cw-stack">
        <Note tone="warn">
          <p>Terraform will believe what this version says. The cloud itself is not changed; the next plan shows what differs.</p>
        </Note>
        <FaultNote error={error} />
        <Button color="red.9" loading={isBusy} onClick={() => void go()}>
          Bring it back
        </Button>
      </div>
    </Modal>
  );
}
