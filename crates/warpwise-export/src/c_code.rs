//! The C that makes a program one: its images and kernels, and either a `main` or the functions of a library.

use std::fmt::Write;

use warpwise_driver::standalone::Standalone;
use warpwise_standalone::interface::Interface;

use crate::api::Api;
use crate::header::{all, header};

/// What is linked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A command; whether it is a server unless told otherwise.
    Executable {
        /// See there.
        server: bool,
    },
    /// A library.
    Library(Api),
}

/// The name of the file with the image of a variant.
pub fn image_file(variant: usize) -> String {
    format!("image{variant}.bin")
}

/// The C of a program. The images lie in files beside it.
pub fn c_code(program: &Standalone, interface: &Interface, role: Role) -> String {
    let mut text = match role {
        Role::Library(api) => header(interface, api),
        Role::Executable { .. } => "#include <stddef.h>\n#include <stdint.h>\n".to_string(),
    };
    text += LINKED;
    for (number, variant) in program.variants.iter().enumerate() {
        let file = image_file(number);
        let _ = writeln!(
            text,
            "extern const unsigned char image{number}[] __attribute__((visibility(\"hidden\")));\n\
             extern const unsigned char image{number}_end[] __attribute__((visibility(\"hidden\")));\n\
             __asm__(\".pushsection .rodata\\n.balign 16\\n.globl image{number}\\n.hidden image{number}\\nimage{number}:\\n\"\n\
             \x20 \".incbin \\\"{file}\\\"\\n.globl image{number}_end\\n.hidden image{number}_end\\nimage{number}_end:\\n.byte 0\\n.popsection\\n\");"
        );
        for (kernel, symbol) in variant.symbols.iter().enumerate() {
            let _ = writeln!(text, "extern void k{number}_{kernel}() __asm__(\"{symbol}\");");
        }
        let names: Vec<String> =
            (0..variant.symbols.len()).map(|kernel| format!("k{number}_{kernel}")).collect();
        let names = if names.is_empty() { "0".to_string() } else { names.join(", ") };
        let _ = writeln!(text, "static void (*const kernels{number}[])() = {{{names}}};");
    }
    // Where one image ends is known when the program is linked.
    text += "static struct variant variants[] = {\n";
    for (number, variant) in program.variants.iter().enumerate() {
        let _ = writeln!(
            text,
            "  {{image{number}, {}, kernels{number}, {}}},",
            variant.image.len(),
            variant.symbols.len()
        );
    }
    let _ = writeln!(
        text,
        "}};\nstatic const struct linked program = {{variants, {}}};\n",
        program.variants.len()
    );
    match role {
        Role::Executable { server } => {
            let _ = writeln!(
                text,
                "int warpwise_main(const struct linked *, int, int, char **);\n\
                 int main(int argc, char **argv) {{ return warpwise_main(&program, {}, argc, argv); }}",
                u8::from(server)
            );
        }
        Role::Library(api) => {
            text += RUN_TIME;
            for function in all(interface, api) {
                let _ = writeln!(text, "{EXPORTED}{} {{\n  {}\n}}\n", function.signature, function.body);
            }
        }
    }
    text
}

const EXPORTED: &str = "__attribute__((visibility(\"default\")))\n";

const LINKED: &str = "
struct variant { const unsigned char *image; size_t bytes; void (*const *kernels)(); size_t kernel_count; };
struct linked { const struct variant *variants; size_t count; };
";

/// The functions of the run time. Handles are `void *` here.
const RUN_TIME: &str = "
void *warpwise_config_new(const struct linked *);
void warpwise_config_free(void *);
void warpwise_config_set(void *, int, int);
void warpwise_config_set_memory_limit(void *, uint64_t);
int warpwise_config_set_tuning_param(void *, const char *, size_t);
size_t warpwise_tuning_parameter_count(const struct linked *);
const char *warpwise_tuning_parameter_name(const struct linked *, int);
void *warpwise_context_new(const void *);
void warpwise_context_free(void *);
char *warpwise_context_get_error(const void *);
void warpwise_context_set_logging_file(const void *, FILE *);
void warpwise_context_profile(const void *, int);
char *warpwise_context_report(const void *);
int warpwise_context_clear_caches(const void *);
void warpwise_context_cancel(const void *);
int warpwise_call(const void *, size_t, void *, void *const *);
void *warpwise_new_array(const void *, size_t, const void *, const int64_t *);
int warpwise_free(const void *, void *);
int warpwise_values(const void *, const void *, void *);
unsigned char *warpwise_values_raw(const void *, const void *);
const int64_t *warpwise_shape(const void *, const void *);
int warpwise_index(const void *, void *, const void *, const int64_t *);
int warpwise_set(const void *, void *, const void *, const int64_t *);
int warpwise_new_opaque_array(const void *, void *, size_t, void *, const int64_t *);
int warpwise_project(const void *, void *, const void *, size_t);
int warpwise_assemble(const void *, void *, size_t, void *const *);
int warpwise_variant(const void *, const void *);
int warpwise_construct(const void *, void *, size_t, size_t, void *const *);
int warpwise_destruct(const void *, void *const *, const void *, size_t);
int warpwise_store(const void *, const void *, void **, size_t *);
void *warpwise_restore(const void *, size_t, const void *);

";
