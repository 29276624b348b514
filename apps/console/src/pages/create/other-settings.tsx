import type { ReactNode } from "react";
import { isTree, type Tree } from "../../data/spec-paths.ts";
import { Note } from "../../design/layout.tsx";

/** Lists the settings that were entered as YAML and have no fields in the form. The form keeps them. */
export function OtherSettings({ rest, metadata }: { readonly rest: Tree; readonly metadata: Tree }): ReactNode {
  const paths = [...listLeaves(metadata, "metadata"), ...listLeaves(rest, "spec")];
  return paths.length === 0 ? (
    <p className="cw-muted cw-small" style={{ margin: 0 }}>
      To set a field that this form does not show, select Edit under As code.
    </p>
  ) : (
    <Note tone="busy">
      <p>These fields were set as YAML. The form keeps them:</p>
      <ul style={{ margin: "4px 0 0", paddingLeft: 18 }} aria-label="Fields set as YAML">
        {paths.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** Lists the paths of all values in a tree, prefixed with `path`. A list counts as one value. */
function listLeaves(tree: Tree, path: string): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isTree(value) && Object.keys(value).length > 0 ? listLeaves(value, `${path}.${key}`) : [`${path}.${key}`],
  );
}
