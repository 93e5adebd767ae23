// What the linker needs of LLD and of LLVM that has no interface for C. Functions give null, or a message for `free`.

#include <cstdlib>
#include <cstring>

#include "lld/Common/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ELF/ELFConfig.h"
#include "llvm/ObjCopy/ELF/ELFObjcopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

#ifdef ABSENT_TARGETS
// LLD asks all targets of LLVM to make themselves known. Most are not there where LLVM is linked statically.
#define ABSENT(name)                                \
  extern "C" void LLVMInitialize##name##Target() {}     \
  extern "C" void LLVMInitialize##name##TargetInfo() {} \
  extern "C" void LLVMInitialize##name##TargetMC() {}   \
  extern "C" void LLVMInitialize##name##AsmPrinter() {} \
  extern "C" void LLVMInitialize##name##AsmParser() {}
ABSENT_TARGETS
#endif

using namespace llvm;

static char *message(StringRef text) { return strdup(text.str().c_str()); }

static char *message(Error error) { return error ? message(toString(std::move(error))) : nullptr; }

// Links by the words of a command line. `again` says whether this process may link once more: not after LLD has given up in the middle, which would
// end the process unless crashes were caught.
extern "C" char *warpwise_link(const char *const *words, size_t count, bool *again) {
  std::string said;
  raw_string_ostream out(said);
  CrashRecoveryContext::Enable();
  lld::Result result = lld::lldMain(ArrayRef(words, count), out, out, {{lld::Gnu, &lld::elf::link}});
  CrashRecoveryContext::Disable();
  *again = result.canRunAgain;
  return result.retCode == 0 ? nullptr : message(out.str());
}

// LLVM's own functions for files would listen to signals.
static Error write(const char *path, StringRef bytes) {
  std::error_code code;
  raw_fd_ostream out(path, code);
  if (code) return errorCodeToError(code);
  out << bytes;
  out.close();
  code = out.error();
  out.clear_error();
  return errorCodeToError(code);
}

static Error keep_global(const char *path, const char *prefix) {
  auto file = object::ObjectFile::createObjectFile(path);
  if (!file) return file.takeError();
  auto *elf = dyn_cast<object::ELFObjectFileBase>(file->getBinary());
  if (!elf) return createStringError(inconvertibleErrorCode(), "%s is no ELF file", path);
  auto kept = objcopy::NameOrPattern::create((StringRef(prefix) + "*").str(), objcopy::MatchStyle::Wildcard,
                                             [](Error error) { return error; });
  objcopy::CommonConfig config;
  if (Error error = config.SymbolsToKeepGlobal.addMatcher(std::move(kept))) return error;
  SmallString<0> bytes;
  raw_svector_ostream out(bytes);
  if (Error error = objcopy::elf::executeObjcopyOnBinary(config, objcopy::ELFConfig(), *elf, out)) return error;
  return write(path, bytes);
}

// Makes every symbol that an object file defines local to it, but those whose names begin with `prefix`.
extern "C" char *warpwise_keep_global(const char *path, const char *prefix) { return message(keep_global(path, prefix)); }

static Error archive(const char *path, const char *object) {
  auto member = NewArchiveMember::getFile(object, /*Deterministic=*/true);
  if (!member) return member.takeError();
  member->MemberName = sys::path::filename(object);
  SmallString<0> bytes;
  raw_svector_ostream out(bytes);
  if (Error error = writeArchiveToStream(out, *member, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU,
                                         /*Deterministic=*/true, /*Thin=*/false))
    return error;
  return write(path, bytes);
}

// Writes a static library of one object file.
extern "C" char *warpwise_archive(const char *path, const char *object) { return message(archive(path, object)); }
