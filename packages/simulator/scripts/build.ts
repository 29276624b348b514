/** Bundles the provider into dist/provider.cjs, which the launcher scripts in provider mirrors load. */
import { buildProviderBundle } from "./build-provider-bundle.ts";
import { join } from "node:path";

await buildProviderBundle(join(import.meta.dirname, "..", "dist", "provider.cjs"));
