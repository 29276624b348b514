import type { TerraformEvent } from "@cloudwright/terraform";

const begun = 15;
const applied = 95;

/** Turns what Terraform says into percent: by the resources that are done, of those that were planned. */
export function createProgress(tell: (percent: number, message: string) => void): (event: TerraformEvent) => void {
  // By address: an apply tells once more what its plan has told.
  const steps = new Map<string, number>();
  let done = 0;
  return (event) => {
    // What is only read is nothing that is done, and comes before anybody knows how much there is to do.
    if (!("action" in event) || event.action === "none" || event.action === "read") return;
    const planned = [...steps.values()].reduce((sum, count) => sum + count, 0);
    switch (event.type) {
      case "planned":
        steps.set(event.address, event.action === "replace" ? 2 : 1);
        break;
      case "started":
        tell(percentOf(done, planned), `${event.address}: ${event.action}`);
        break;
      case "finished":
        done += 1;
        tell(percentOf(done, planned), `${event.address} is done, ${done} of ${Math.max(planned, done)}`);
        break;
      default:
    }
  };
}

function percentOf(done: number, planned: number): number {
  return begun + Math.round(((applied - begun) * done) / Math.max(planned, done, 1));
}
