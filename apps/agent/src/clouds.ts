import type { DeployerDeps } from "@cloudwright/deployer";
import type { AgentConfig } from "@cloudwright/platform";
import { createRealClouds } from "./real-cloud.ts";
import { createOpenCloud } from "./simulated-cloud.ts";
import { createSimulatedViews } from "./simulated-view.ts";

/** The clouds of accounts: of a simulated one the simulator, of a real one the cloud itself. */
export function createClouds(
  config: Pick<AgentConfig, "directory" | "simulator" | "clouds" | "cacheDirectory">,
): Required<Pick<DeployerDeps, "openCloud" | "openView" | "verifyAccount">> {
  const real = createRealClouds(config);
  const simulated = { openCloud: createOpenCloud(config), openView: createSimulatedViews(config) };
  return {
    openCloud: (account, ...rest) => (account.simulated ? simulated : real).openCloud(account, ...rest),
    openView: (account, ...rest) => (account.simulated ? simulated : real).openView(account, ...rest),
    verifyAccount: real.verifyAccount,
  };
}
