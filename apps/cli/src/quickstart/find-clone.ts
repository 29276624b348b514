import { Fault } from "@cloudwright/platform/fault";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { cliFaults } from "../faults.ts";

/** How the control plane is started from the clone that this command lies in. */
export interface Clone {
  readonly root: string;
  /** The Node that `npm ci` installed; the sources need it. */
  readonly node: string;
  readonly controlPlane: string;
  readonly agent: string;
}

/** Looks upwards from this file, which is in the sources or in the bundle. */
export function findClone(from = import.meta.dirname): Clone {
  for (let root = from; ; root = dirname(root)) {
    const clone = {
      root,
      node: join(root, "node_modules", ".bin", "node"),
      controlPlane: join(root, "apps", "control-plane", "src", "main.ts"),
      agent: join(root, "apps", "agent", "src", "main.ts"),
    };
    if (existsSync(clone.controlPlane) && existsSync(clone.node)) return clone;
    if (dirname(root) === root) throw new Fault(cliFaults.no_clone, `no control plane to start lies above ${from}`);
  }
}
