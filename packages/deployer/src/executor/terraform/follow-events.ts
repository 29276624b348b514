import type { TerraformEvent } from "@cloudwright/terraform";
import type { Progress } from "../progress.ts";

/** Returns a listener that converts Terraform events to progress reports. */
export function followEvents(progress: Progress): (event: TerraformEvent) => void {
  return (event) => {
    // Reads do not count as progress: they change nothing and run before the change count is known.
    if (!("action" in event) || event.action === "none" || event.action === "read") return;
    if (event.type === "planned") progress.planned(event.address, event.action);
    if (event.type === "started") progress.started(event.address, event.action);
    if (event.type === "finished") progress.finished(event.address);
  };
}
