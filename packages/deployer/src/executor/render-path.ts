import type { AttributePath } from "./executor-plan.ts";

/**
 * Renders an attribute path as ignore rules spell it: `scaling_config[0].desired_size`, `tags["team"]`. A name after a list position is an attribute
 * of a block. A name after another name is the key of a map.
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
