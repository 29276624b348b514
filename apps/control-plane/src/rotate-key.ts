import { processEnvironment, readHome } from "@cloudwright/platform";
import { rotateKeyFile } from "@cloudwright/store";
import { join } from "node:path";

const file = join(readHome(processEnvironment), "encryption.keys");
rotateKeyFile(file);
process.stdout.write(
  `${file} has a new key in front. Restart the control plane: it brings every secret under it, the old keys stay for backups.\n`,
);
