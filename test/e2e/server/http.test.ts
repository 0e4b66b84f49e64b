import { access } from "./access.ts";
import { serverDeaths } from "./deaths.ts";

access("http");
serverDeaths("http");
