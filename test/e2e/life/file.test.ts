import { deaths } from "./deaths.ts";
import { endings } from "./endings.ts";

endings("file");
deaths("file");
