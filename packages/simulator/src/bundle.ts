import { processEnvironment } from "@cloudwright/platform";
import { awsProvider } from "./aws/aws-provider.ts";
import { azureProvider } from "./azure/azure-provider.ts";
import { googleProvider } from "./google/google-provider.ts";
import { runSpawnedProvider, type SpawnSettings } from "./launch/spawned-provider.ts";
import { simProvider } from "./sim/sim-provider.ts";

/** What the program in a mirror calls. */
export function start(settings: SpawnSettings): void {
  void runSpawnedProvider([simProvider, awsProvider, googleProvider, azureProvider], settings, processEnvironment).catch(
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}
