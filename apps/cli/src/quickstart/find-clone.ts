import { Fault } from "@cloudwright/platform/fault";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { cliFaults } from "../faults.ts";

/** Paths for starting the control plane from the repository clone that contains this command. */
export interface Clone {
  readonly root: string;
  /** The Node binary that `npm ci` installed. The sources require it. */
  readonly node: string;
  readonly controlPlane: string;
  readonly agent: string;
}

/** Searches the parent folders of this file, which may be a source file or part of the bundle. */
export function findClone(from = import.meta.dirname): Clone {
  for (let root = from; ; root = dirname(root)) {
    const clone = {
      root,
      node: join(root, "node_modules", ".bin", "node"),
      controlPlane: join(root, "apps", "control-plane", "src", "main.ts"),
      agent: join(root, "apps", "agent", "src", "main.ts"),
    };
    if (existsSync(clone.controlPlane) && existsSync(clone.node)) return clone;
    if (dirname(root) === root) throw new Fault(cliFaults.no_clone, `${from} is not inside a clone of the repository`);
  }
}
