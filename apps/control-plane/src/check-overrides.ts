import type { CheckOverrides } from "@cloudwright/api";
import { checkOverrides as findProblems, taggingAttributes } from "@cloudwright/terraform/overrides";

/** The providers of each cloud's configurations, and those that only make values. The agent asks again, for the very configuration. */
const providers: Readonly<Record<string, readonly string[]>> = {
  aws: ["aws"],
  gcp: ["google", "google-beta"],
  azure: ["azurerm"],
};
const pure = ["random", "time", "tls"];

/** Says what is refused in overrides before anything is written, so that nobody waits for an agent to say it. */
export const checkOverrides: CheckOverrides = ({ cloud }, overrides) =>
  findProblems(overrides, { providers: [...(providers[cloud] ?? []), ...pure], reserved: taggingAttributes });
