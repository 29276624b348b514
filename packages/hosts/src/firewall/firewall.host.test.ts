import { describeFirewall } from "./testing/firewall-suite.ts";

describeFirewall(undefined);
