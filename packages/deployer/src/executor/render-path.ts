import type { AttributePath } from "@cloudwright/terraform";

/**
 * A place in a resource as people and ignore rules write it: `scaling_config[0].desired_size`, `tags["team"]`. Below a position in a list stands an
 * attribute of a block; below a name stands the key of a map.
 */
export function renderPath(path: AttributePath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (index === 0) return step;
      return typeof path[index - 1] === "number" ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join("");
}
