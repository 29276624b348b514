import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { renderTable, type Column } from "./table.ts";

export type Inventory = Stored<EntityByKind["Inventory"]>;

/** Renders what the last check found about the hosts of an inventory, as lines of a table. */
export function renderHosts({ spec, status }: Inventory): string[] {
  const found = new Map((status?.hosts ?? []).map((host) => [host.name, host]));
  const users = new Map((status?.claims ?? []).map(({ host, instance }) => [host, instance]));
  const rows = (spec?.hosts ?? []).map(({ name = "", address = "" }) => {
    const { state, message, os, architecture, cores, memoryMib, disks = [], power } = found.get(name) ?? {};
    const sizes = disks.map(({ device = "", sizeMib = 0 }) => `${device} ${Math.round(sizeMib / 1024)} GiB`);
    const size = cores === undefined ? "" : `${cores} cores, ${Math.round((memoryMib ?? 0) / 1024)} GiB`;
    const claimed = users.has(name) ? users.get(name) || "claimed" : "";
    return {
      name,
      address,
      state: state ?? "NOT_CHECKED",
      claimed,
      os: [os, architecture].filter(Boolean).join(" "),
      size,
      disks: sizes.join(", "),
      power,
      message,
    };
  });
  const columns: Column<(typeof rows)[number]>[] = [
    { title: "HOST", value: ({ name }) => name },
    { title: "ADDRESS", value: ({ address }) => address },
    { title: "STATE", value: ({ state }) => state },
    { title: "CLAIMED BY", value: ({ claimed }) => claimed },
    { title: "OS", value: ({ os }) => os },
    { title: "SIZE", value: ({ size }) => size },
    { title: "DISKS", value: ({ disks }) => disks },
    { title: "POWER", value: ({ power }) => power ?? "" },
    { title: "MESSAGE", value: ({ message }) => message ?? "" },
  ];
  return renderTable(columns, rows);
}
