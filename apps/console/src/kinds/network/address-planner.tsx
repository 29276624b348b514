import { useMemo, type ReactNode } from "react";
import type { AddressInput, CloudView } from "../../clouds/cloud-view.ts";
import { Note } from "../../design/layout.tsx";
import type { Tone } from "../../design/phase.ts";
import { cellCount, type AddressUse, type PlannedRange } from "./address-plan.ts";

/** Shows how a network's address range is divided. */
export function AddressPlanner({ view, cidr, zones, settings }: AddressInput & { readonly view: CloudView }): ReactNode {
  const plan = useMemo(() => view.planAddresses({ cidr, zones, settings }), [view, cidr, zones, settings]);
  if ("problem" in plan)
    return (
      <Note tone="warn">
        <p>{plan.problem}</p>
      </Note>
    );
  const { uses, ranges, free } = plan;
  const toneOf = (role: string): Tone | undefined => uses.find((use) => use.role === role)?.tone;
  const half = cellCount / 2;
  const isZonal = ranges.some(({ zone }) => zone !== "");
  return (
    <div className="cw-stack" style={{ gap: 10 }} data-testid="planner">
      {[0, half].map((start) => (
        <div key={start} className="cw-cidr" style={{ gridTemplateColumns: `repeat(${half}, minmax(0, 1fr))` }}>
          {listCells(ranges, start, start + half).map(({ from, to, range }) => (
            <div
              key={from}
              data-tone={range === undefined ? undefined : toneOf(range.role)}
              style={{ gridColumn: `span ${to - from}` }}
              title={range === undefined ? "free" : describeRange(range)}
            >
              {range === undefined ? "" : range.zone || range.role}
            </div>
          ))}
        </div>
      ))}
      <div className="cw-legend">
        {uses.map(({ role, text, tone }) => (
          <span key={role} data-tone={tone}>
            <i />
            {text}, {countAddresses(ranges, role).toLocaleString("en")} addresses
          </span>
        ))}
        <span>
          {Math.round(free * 100)} % {isZonal ? "free for more zones" : "unused"}
        </span>
      </div>
      <div className="cw-over">
        {isZonal ? <ZoneTable uses={uses} ranges={ranges} zones={zones} /> : <RoleTable ranges={ranges} />}
      </div>
    </div>
  );
}

function ZoneTable(props: {
  readonly uses: readonly AddressUse[];
  readonly ranges: readonly PlannedRange[];
  readonly zones: readonly string[];
}): ReactNode {
  const { uses, ranges, zones } = props;
  return (
    <table className="cw-plain">
      <thead>
        <tr>
          <th>Zone</th>
          {uses.map(({ role }) => (
            <th key={role}>{capitalize(role)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {zones.map((zone) => (
          <tr key={zone}>
            <td>{zone}</td>
            {uses.map(({ role }) => (
              <td key={role} className="cw-mono">
                {ranges.find((each) => each.zone === zone && each.role === role)?.cidr}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RoleTable({ ranges }: { readonly ranges: readonly PlannedRange[] }): ReactNode {
  return (
    <table className="cw-plain">
      <thead>
        <tr>
          <th>Used for</th>
          <th>Range</th>
          <th>Addresses</th>
        </tr>
      </thead>
      <tbody>
        {ranges.map(({ role, cidr, addresses }) => (
          <tr key={role}>
            <td>{capitalize(role)}</td>
            <td className="cw-mono">{cidr}</td>
            <td className="cw-num">{addresses.toLocaleString("en")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Cell {
  readonly from: number;
  readonly to: number;
  readonly range?: PlannedRange;
}

/** Splits the part of the network from `start` to `end` into cells, sorted by address: one per range and one per free gap. */
function listCells(ranges: readonly PlannedRange[], start: number, end: number): Cell[] {
  const found: Cell[] = [];
  let at = start;
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const [from, to] = [Math.max(range.from, at), Math.min(range.to, end)];
    if (from >= to) continue;
    if (from > at) found.push({ from: at, to: from });
    found.push({ from, to, range });
    at = to;
  }
  if (at < end) found.push({ from: at, to: end });
  return found;
}

function countAddresses(ranges: readonly PlannedRange[], role: string): number {
  return ranges.filter((each) => each.role === role).reduce((sum, { addresses }) => sum + addresses, 0);
}

function describeRange({ cidr, role, zone }: PlannedRange): string {
  return zone === "" ? `${cidr}: ${role}` : `${cidr}: ${role} in zone ${zone}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
