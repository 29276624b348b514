import { Button, NumberInput, Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { countBy } from "../../data/entity-state.ts";
import { useEntities, useLive } from "../../data/live.tsx";
import { pathOf } from "../../data/paths.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { faultsQuery, simulationQuery } from "../../data/queries.ts";
import { Empty, FaultNote, Page, Panel } from "../../design/layout.tsx";
import { Simulated, Tag } from "../../design/status.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";
import { FaultForm } from "./fault-form.tsx";
import { Inventory } from "./inventory.tsx";

/** Shows the clouds of simulated accounts with their resources, settings and faults. */
export function SimulatorPage(): ReactNode {
  const project = useProject();
  const can = useCan();
  const synced = useLive((state) => state.synced);
  const accounts = useEntities("Account").filter(({ spec }) => spec?.simulated === true);
  const [chosen, setChosen] = useState<string | null>(() => new URLSearchParams(location.search).get("account"));
  const networks = useEntities("Network");
  const fullest = countBy(networks, ({ spec }) => spec?.account ?? "").find(([name]) =>
    accounts.some(({ metadata }) => metadata.name === name),
  );
  const account = chosen ?? fullest?.[0] ?? accounts[0]?.metadata.name;
  if (account === undefined)
    return (
      <Page title="Simulator">
        <Panel>
          {synced && (
            <Empty
              icon="simulator"
              title="No simulated accounts"
              action={
                can("Account", "create") && (
                  <Button component={Link} to={pathOf(project, "new", "account")}>
                    Create account
                  </Button>
                )
              }
            >
              In a simulated account, the same Terraform configurations run against a cloud that exists only inside this server.
            </Empty>
          )}
        </Panel>
      </Page>
    );
  return (
    <Page
      name="Simulator"
      title={
        <span className="cw-row">
          Simulator <Simulated is />
        </span>
      }
      sub="Nothing here exists in a real cloud, and nothing is billed"
      actions={
        <Select
          aria-label="Account"
          allowDeselect={false}
          data={accounts.map(({ metadata }) => metadata.name)}
          value={account}
          onChange={setChosen}
        />
      }
    >
      <Cloud key={account} account={account} />
    </Page>
  );
}

function Cloud({ account }: { readonly account: string }): ReactNode {
  const project = useProject();
  const can = useCan();
  const { data: cloud, error } = useQuery(simulationQuery(project, account));
  const { data: faults } = useQuery(faultsQuery(project, account));
  const queries = useQueryClient();
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: ["simulation", project, account] });
  const records = Object.entries(cloud?.records ?? {}).toSorted((a, b) => b[1] - a[1]);
  const clear = (uid: string): void => void client.simulations.clear(project, account, { uid }).then(again, toastFault);
  return (
    <div className="cw-stack">
      <FaultNote error={error} />
      <div className="cw-grid cw-even">
        <Panel title="Resources" span={4}>
          <div className="cw-inventory" tabIndex={0} role="region" aria-label="Resources by type">
            {records.map(([type, count]) => (
              <div key={type}>
                <span className="cw-mono">{type}</span> <b className="cw-num">{count}</b>
              </div>
            ))}
            {cloud !== undefined && records.length === 0 && <span className="cw-muted">no resources</span>}
          </div>
        </Panel>
        <Panel title="Settings" span={4}>
          {cloud !== undefined && (
            <Behaviour
              key={JSON.stringify(cloud.conditions)}
              account={account}
              conditions={cloud.conditions ?? {}}
              mayChange={can("SimulatedCloud", "adjust")}
              onDone={again}
            />
          )}
        </Panel>
        <Panel title="Faults" span={4} flush>
          {faults?.length === 0 && (
            <Empty icon="check" title="No pending faults">
              Pending faults are listed here until they occur.
            </Empty>
          )}
          <table className="cw-plain" data-testid="faults">
            <tbody>
              {faults?.map((fault) => (
                <tr key={fault.uid}>
                  <td>
                    <Tag tone={fault.state === "DONE" ? "idle" : "warn"}>{fault.kind}</Tag> at {fault.operation}{" "}
                    {fault.type ? <span className="cw-mono">{fault.type}</span> : "any type"}
                    <div className="cw-muted cw-small">{fault.message}</div>
                  </td>
                  <td style={{ textAlign: "right", whiteSpace: "nowrap" }} className="cw-small cw-muted">
                    {fault.state === "DONE"
                      ? "occurred"
                      : can("SimulatedFault", "clear") && (
                          <Button size="compact-xs" variant="default" onClick={() => clear(fault.uid ?? "")}>
                            Cancel
                          </Button>
                        )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
      </div>
      {can("SimulatedFault", "fail") && <FaultForm account={account} types={records.map(([type]) => type)} onDone={again} />}
      <Inventory account={account} mayChange={can("SimulatedRecord", "drift")} onDone={again} />
    </div>
  );
}

function Behaviour(props: {
  readonly account: string;
  readonly conditions: { speed?: number; lagMs?: number; callsPerSecond?: number };
  readonly mayChange: boolean;
  readonly onDone: () => Promise<void>;
}): ReactNode {
  const project = useProject();
  const { speed = 0, lagMs = 0, callsPerSecond = 0 } = props.conditions;
  const [next, setNext] = useState({ speed, lagMs, callsPerSecond });
  const isSame = next.speed === speed && next.lagMs === lagMs && next.callsPerSecond === callsPerSecond;
  const save = async (): Promise<void> => {
    try {
      await client.simulations.adjust(project, props.account, next);
      toast("good", "Settings saved");
      await props.onDone();
    } catch (fault) {
      toastFault(fault);
    }
  };
  const field = (label: string, name: keyof typeof next): ReactNode => (
    <NumberInput
      size="xs"
      label={label}
      min={0}
      max={1_000_000}
      disabled={!props.mayChange}
      value={next[name]}
      onChange={(value) => setNext({ ...next, [name]: Number(value) })}
    />
  );
  return (
    <div className="cw-stack" style={{ gap: 10 }}>
      {field("Speed: simulated seconds per real second", "speed")}
      {field("Consistency delay: milliseconds until a new resource is visible", "lagMs")}
      {field("Rate limit: calls per second; 0 for no limit", "callsPerSecond")}
      {props.mayChange && (
        <div>
          <Button size="xs" disabled={isSame} onClick={() => void save()}>
            Save
          </Button>
        </div>
      )}
    </div>
  );
}
