import type { PreviewItemJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { Tag } from "../design/status.tsx";

const parts = [
  ["upgrade", "Steps of the upgrade"],
  ["infrastructure", "Infrastructure"],
  ["nodes", "Nodes"],
  ["add-ons", "Add-ons"],
  ["load-balancers", "Load balancers"],
  ["volumes", "Volumes"],
  ["leftovers", "Other resources created by the cluster"],
] as const;

/** Returns the heading for one part of a preview. */
export function titleOfPart(part: string): string {
  return parts.find(([name]) => name === part)?.[1] ?? part;
}

/** Lists the changes in a preview, grouped by parts such as infrastructure, nodes and add-ons. */
export function PreviewList({ of }: { readonly of: readonly PreviewItemJson[] }): ReactNode {
  if (of.length === 0) return <span className="cw-muted">No changes.</span>;
  return (
    <div
      className="cw-panel"
      style={{ maxHeight: 320, overflow: "auto" }}
      tabIndex={0}
      role="region"
      aria-label="Changes"
      data-testid="preview"
    >
      <table className="cw-plain">
        <tbody>
          {parts.flatMap(([part, title]) => {
            const items = of.filter((item) => item.part === part);
            if (items.length === 0) return [];
            return [
              <tr key={part}>
                <th colSpan={2} scope="colgroup">
                  {title} ({items.length})
                </th>
              </tr>,
              ...items.map(({ name = "", action = "", message = "" }, index) => (
                <tr key={`${part} ${name} ${index}`}>
                  <td style={{ overflowWrap: "anywhere" }}>
                    {name}
                    {message !== "" && <div className="cw-muted cw-small">{message}</div>}
                  </td>
                  <td style={{ textAlign: "right" }}>
                    <Tag tone={action === "replace" || action === "delete" ? "bad" : action === "create" ? "good" : "busy"}>
                      {action}
                    </Tag>
                  </td>
                </tr>
              )),
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}
