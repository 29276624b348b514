import type { AttributePath } from "./executor-plan.ts";

/**
 * Renders an attribute path in the syntax of ignore rules, such as `scaling_config[0].desired_size` or `tags["team"]`. A name after a list
 * index is a block attribute. A name after another name is a map key.
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
