import { access } from "./access.ts";
import { serverDeaths } from "./deaths.ts";

access("tcp");
serverDeaths("tcp");
