import { runProcess } from "./run-process.ts";
import { serveClusters } from "./serve-clusters.ts";

await runProcess("simulated-kubernetes", serveClusters);
