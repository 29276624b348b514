import type { TerraformEvent } from "@cloudwright/terraform";

const begun = 15;
const applied = 95;

/** Turns what Terraform says into percent: by the resources that are done, of those that were planned. */
export function createProgress(tell: (percent: number, message: string) => void): (event: TerraformEvent) => void {
  let planned = 0;
  let done = 0;
  return (event) => {
    switch (event.type) {
      case "planned":
        if (event.action !== "none" && event.action !== "read") planned += event.action === "replace" ? 2 : 1;
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
