import { describeDiagnostic } from "./diagnostic.ts";
import type { TerraformEvent } from "./event.ts";

/** Renders an event as a human-readable line. */
export function describeEvent(event: TerraformEvent): string {
  switch (event.type) {
    case "version":
      return `version ${event.version}`;
    case "planned":
      return `${event.address}: ${event.action} planned${event.reason === undefined ? "" : ` (${event.reason})`}`;
    case "drift":
      return `${event.address}: changed outside Terraform (${event.action})`;
    case "started":
      return `${event.address}: ${event.action} started`;
    case "progress":
      return `${event.address}: ${event.action} started ${event.seconds} s ago`;
    case "finished":
      return `${event.address}: ${event.action} finished after ${event.seconds} s${event.id === undefined ? "" : ` (${event.id})`}`;
    case "failed":
      return `${event.address}: ${event.action} failed after ${event.seconds} s`;
    case "refreshing":
    case "refreshed":
      return `${event.address}: ${event.type}`;
    case "summary":
      return `${event.operation}: ${event.add} to add, ${event.change} to change, ${event.remove} to remove, ${event.import} to import`;
    case "outputs":
      return `outputs: ${Object.keys(event.outputs).join(", ") || "none"}`;
    case "diagnostic":
      return `${event.diagnostic.severity}: ${describeDiagnostic(event.diagnostic)}`;
    case "message":
      return event.message;
  }
}
