import { getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { useMemo, type ReactNode } from "react";
import { Note } from "../../design/layout.tsx";
import type { Tone } from "../../design/phase.ts";
import { planAddresses, type PlannedSubnet, type SubnetRole } from "./plan-addresses.ts";

const tones: Readonly<Record<SubnetRole, Tone>> = { public: "busy", private: "good", intra: "sim" };
const uses: Readonly<Record<SubnetRole, string>> = {
  public: "public: load balancers",
  private: "private: workers",
  intra: "intra: control planes",
};

/** Shows how a network's address range is divided into subnets. */
export function AddressPlanner(props: {
  readonly cidr: string;
  readonly zones: readonly string[];
  readonly cloud: CloudName;
}): ReactNode {
  const { cidr, zones, cloud } = props;
  const plan = useMemo(() => planAddresses(cidr, zones, getCloud(cloud).network), [cidr, zones, cloud]);
  if ("problem" in plan)
    return (
      <Note tone="warn">
        <p>{plan.problem}</p>
      </Note>
    );
  const rows: readonly (readonly PlannedSubnet[])[] = [
    plan.subnets.filter(({ to }) => to <= 16),
    plan.subnets.filter(({ from }) => from >= 16),
  ];
  const counts = (["private", "public", "intra"] as const).map(
    (role) =>
      [role, plan.subnets.filter((each) => each.role === role).reduce((sum, { addresses }) => sum + addresses, 0)] as const,
  );
  return (
    <div className="cw-stack" style={{ gap: 10 }} data-testid="planner">
      {rows.map((row, index) => (
        <div key={index} className="cw-cidr" style={{ gridTemplateColumns: "repeat(16, minmax(0, 1fr))" }}>
          {cells(row, index * 16).map((cell) => (
            <div
              key={cell.from}
              data-tone={cell.subnet === undefined ? undefined : tones[cell.subnet.role]}
              style={{ gridColumn: `span ${cell.to - cell.from}` }}
              title={cell.subnet === undefined ? "free" : `${cell.subnet.cidr}: ${cell.subnet.role} in zone ${cell.subnet.zone}`}
            >
              {cell.subnet?.zone}
            </div>
          ))}
        </div>
      ))}
      <div className="cw-legend">
        {counts.map(([role, count]) => (
          <span key={role} data-tone={tones[role]}>
            <i />
            {uses[role]}, {count.toLocaleString("en")} addresses
          </span>
        ))}
        <span>{Math.round(plan.free * 100)} % free for more zones</span>
      </div>
      <div className="cw-over">
        <table className="cw-plain">
          <thead>
            <tr>
              <th>Zone</th>
              <th>Public</th>
              <th>Private</th>
              <th>Intra</th>
            </tr>
          </thead>
          <tbody>
            {zones.map((zone) => (
              <tr key={zone}>
                <td>{zone}</td>
                {(["public", "private", "intra"] as const).map((role) => (
                  <td key={role} className="cw-mono">
                    {plan.subnets.find((each) => each.zone === zone && each.role === role)?.cidr}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface Cell {
  readonly from: number;
  readonly to: number;
  readonly subnet?: PlannedSubnet;
}

/** Returns the cells of one half of the network, sorted by address, including free space between subnets. */
function cells(subnets: readonly PlannedSubnet[], start: number): Cell[] {
  const found: Cell[] = [];
  let at = start;
  for (const subnet of subnets.toSorted((a, b) => a.from - b.from)) {
    if (subnet.from > at) found.push({ from: at, to: subnet.from });
    found.push({ from: subnet.from, to: subnet.to, subnet });
    at = subnet.to;
  }
  if (at < start + 16) found.push({ from: at, to: start + 16 });
  return found;
}
