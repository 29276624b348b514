import { processEnvironment, readHome } from "@cloudwright/platform";
import { rotateKeyFile } from "@cloudwright/store";
import { join } from "node:path";

const file = join(readHome(processEnvironment), "encryption.keys");
rotateKeyFile(file);
process.stdout.write(
  `Added a new key to ${file}. Restart the control plane to re-encrypt all secrets with it. Old keys are kept for backups.\n`,
);
