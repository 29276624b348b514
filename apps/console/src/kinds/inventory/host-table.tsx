import type { EntityByKind } from "@cloudwright/api-client";
import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import { useEntities } from "../../data/live.tsx";
import { Panel } from "../../design/layout.tsx";

/** Renders the hosts of an inventory with what the last check found, and the instances that have claimed them. */
export function HostTable({ entity: { metadata, spec, status } }: { readonly entity: EntityByKind["Inventory"] }): ReactNode {
  const instances = useEntities("Instance").filter((instance) => instance.spec?.inventory === metadata?.name);
  const hosts = spec?.hosts ?? [];
  return (
    <Panel title="Hosts">
      {hosts.length === 0 ? (
        <span className="cw-muted">No hosts. Add them in the YAML or with `cloud inventory update`.</span>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Host</Table.Th>
              <Table.Th>Address</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Claimed by</Table.Th>
              <Table.Th>System</Table.Th>
              <Table.Th>Disks</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {hosts.map(({ name = "", address }) => {
              const found = status?.hosts?.find((host) => host.name === name);
              const user = instances.find((instance) => instance.spec?.host === name)?.metadata.name;
              return (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td className="cw-mono">{address}</Table.Td>
                  <Table.Td>
                    {found?.state ?? "not checked"}
                    {found?.message ? <div className="cw-muted">{found.message}</div> : null}
                    {found?.bmcMessage ? <div className="cw-muted">{found.bmcMessage}</div> : null}
                  </Table.Td>
                  <Table.Td>{user ?? "free"}</Table.Td>
                  <Table.Td>{describeSystem(found)}</Table.Td>
                  <Table.Td>{describeDisks(found)}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}

type Found = NonNullable<NonNullable<EntityByKind["Inventory"]["status"]>["hosts"]>[number] | undefined;

function describeSystem(found: Found): string {
  if (found?.cores === undefined) return "";
  return `${found.os ?? ""} ${found.architecture ?? ""}, ${found.cores} cores, ${Math.round((found.memoryMib ?? 0) / 1024)} GiB`;
}

function describeDisks(found: Found): string {
  const disks = found?.disks ?? [];
  return disks
    .map(({ device, sizeMib = 0, inUse }) => `${device} ${Math.round(sizeMib / 1024)} GiB${inUse === true ? " (in use)" : ""}`)
    .join(", ");
}
