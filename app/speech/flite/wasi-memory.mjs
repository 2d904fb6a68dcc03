// As much of WASI (preview 1) as a program needs that takes arguments and writes one file. It has no disk, network or
// environment.

/* global WebAssembly, TextEncoder */

const success = 0;
const badDescriptor = 8;
const invalid = 28;
const noEntry = 44;

const characterDevice = 2;
const directory = 3;
const regularFile = 4;
const preopenedDescriptor = 3;
const outputDescriptor = 4;

class ProgramExit extends Error {
  constructor(code) {
    super(`The program ended with ${code}.`);
    this.code = code;
  }
}

/** Returns the one file that the program wrote. */
export function runProgram({ module, args, maxOutputBytes }) {
  const file = createGrowingFile(maxOutputBytes);
  let instance;
  // Growing memory gets another buffer.
  const view = () => new DataView(instance.exports.memory.buffer);
  const imports = { ...createArgumentImports(args, view), ...createFileImports(file, view) };
  instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  try {
    instance.exports._start();
    return { exitCode: 0, output: file.read() };
  } catch (error) {
    if (!(error instanceof ProgramExit)) throw error;
    return { exitCode: error.code, output: file.read() };
  }
}

function createGrowingFile(maxBytes) {
  const buffer = new ArrayBuffer(0, { maxByteLength: maxBytes });
  let position = 0;

  return {
    write(chunk) {
      const end = position + chunk.length;
      if (end > maxBytes) return false;
      if (end > buffer.byteLength) buffer.resize(end);
      new Uint8Array(buffer).set(chunk, position);
      position = end;
      return true;
    },
    seek(offset, whence) {
      const base = [0, position, buffer.byteLength][whence] ?? 0;
      position = Math.max(0, base + offset);
      return position;
    },
    read: () => new Uint8Array(buffer),
  };
}

function createArgumentImports(args, view) {
  const encoder = new TextEncoder();
  const encodedArgs = args.map((arg) => encoder.encode(`${arg.replaceAll("\0", "")}\0`));

  return {
    args_get(pointers, buffer) {
      let at = buffer;
      for (const [index, arg] of encodedArgs.entries()) {
        view().setUint32(pointers + index * 4, at, true);
        new Uint8Array(view().buffer).set(arg, at);
        at += arg.length;
      }
      return success;
    },
    args_sizes_get(countAt, sizeAt) {
      const size = encodedArgs.reduce((sum, arg) => sum + arg.length, 0);
      view().setUint32(countAt, encodedArgs.length, true);
      view().setUint32(sizeAt, size, true);
      return success;
    },
    clock_time_get(_clock, _precision, at) {
      view().setBigUint64(at, 0n, true);
      return success;
    },
    proc_exit(code) {
      throw new ProgramExit(code);
    },
  };
}

function createFileImports(file, view) {
  return {
    fd_close: () => success,
    fd_fdstat_get(descriptor, at) {
      if (descriptor > outputDescriptor) return badDescriptor;
      const kinds = { [preopenedDescriptor]: directory, [outputDescriptor]: regularFile };
      view().setUint8(at, kinds[descriptor] ?? characterDevice);
      view().setUint16(at + 2, 0, true);
      view().setBigUint64(at + 8, 0xffff_ffff_ffff_ffffn, true);
      view().setBigUint64(at + 16, 0xffff_ffff_ffff_ffffn, true);
      return success;
    },
    fd_fdstat_set_flags: () => success,
    fd_prestat_get(descriptor, at) {
      if (descriptor !== preopenedDescriptor) return badDescriptor;
      view().setUint8(at, 0);
      view().setUint32(at + 4, 1, true);
      return success;
    },
    fd_prestat_dir_name(descriptor, at) {
      if (descriptor !== preopenedDescriptor) return badDescriptor;
      view().setUint8(at, "/".charCodeAt(0));
      return success;
    },
    fd_read: () => badDescriptor,
    fd_seek(descriptor, offset, whence, at) {
      if (descriptor !== outputDescriptor) return badDescriptor;
      view().setBigUint64(at, BigInt(file.seek(Number(offset), whence)), true);
      return success;
    },
    fd_write(descriptor, start, count, writtenAt) {
      let written = 0;
      for (let at = start; at < start + count * 8; at += 8) {
        const [address, length] = [view().getUint32(at, true), view().getUint32(at + 4, true)];
        const chunk = new Uint8Array(view().buffer, address, length);
        if (descriptor === outputDescriptor && !file.write(chunk)) return invalid;
        written += length;
      }
      view().setUint32(writtenAt, written, true);
      return success;
    },
    path_open(_directory, _flags, _path, _length, openFlags, _rights, _inheriting, _descriptorFlags, at) {
      if ((openFlags & 1) === 0) return noEntry;
      view().setUint32(at, outputDescriptor, true);
      return success;
    },
  };
}
