import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import { Panel } from "../../design/layout.tsx";
import type { RuleText } from "./rules.ts";

/** Renders the rules of a security group. */
export function RuleTable({ rules }: { readonly rules: readonly RuleText[] }): ReactNode {
  return (
    <Panel title="Rules">
      {rules.length === 0 ? (
        <span className="cw-muted">No rules: nothing may connect to the group's instances.</span>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Direction</Table.Th>
              <Table.Th>Protocol</Table.Th>
              <Table.Th>Ports</Table.Th>
              <Table.Th>Source or destination</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rules.map(({ direction, protocol, ports, peer }, index) => (
              <Table.Tr key={`${index} ${direction} ${protocol} ${ports} ${peer}`}>
                <Table.Td>{direction}</Table.Td>
                <Table.Td>{protocol}</Table.Td>
                <Table.Td>{ports}</Table.Td>
                <Table.Td className="cw-mono">{peer}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
