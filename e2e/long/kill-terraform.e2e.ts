import { describeKills } from "../kill-matrix/describe-kills.ts";

describeKills("terraform");
