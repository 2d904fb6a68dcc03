/**
 * After how long without a word a connection is tried. Otherwise the system would find after two hours that the other
 * side is gone, where nothing told us: a machine that lost its power, a firewall that forgot the connection.
 */
export const keepAliveInitialDelayMillis = 10_000;
