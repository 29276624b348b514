import { processEnvironment } from "@cloudwright/platform";
import { awsProvider } from "./aws/provider.ts";
import { azureProvider } from "./azure/provider.ts";
import { gcpProvider } from "./gcp/provider.ts";
import { runSpawnedProvider, type SpawnSettings } from "./launch/spawned-provider.ts";
import { simProvider } from "./sim/provider.ts";

/** Starts the simulated providers. The launcher script in a provider mirror calls this function. */
export function start(settings: SpawnSettings): void {
  void runSpawnedProvider([simProvider, awsProvider, gcpProvider, azureProvider], settings, processEnvironment).catch(
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}
