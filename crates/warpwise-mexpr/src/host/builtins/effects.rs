//! References, symbols, randomness, and the world.

use std::cell::RefCell;
use std::rc::Rc;

use crate::builtins::Builtin;

use super::super::channels::{STDERR, STDIN, STDOUT};
use super::super::machine::Machine;
use super::super::parsed::{self, Part};
use super::super::show::{float_text, show};
use super::super::value::{Reference, Value};
use super::{Stop, Taken};

/// Runs a built-in that belongs to no other module.
pub(super) fn run(machine: &mut Machine<'_>, builtin: Builtin, arguments: &mut Taken) -> Result<Value, Stop> {
    match builtin {
        Builtin::Ref => Ok(Value::Ref(Rc::new(Reference { value: RefCell::new(arguments.value()?) }))),
        Builtin::Deref => match arguments.value()? {
            Value::Ref(reference) => Ok(reference.value.borrow().clone()),
            _ => Err(arguments.wrong()),
        },
        Builtin::Modref => match arguments.value()? {
            Value::Ref(reference) => {
                let before = reference.value.replace(arguments.value()?);
                drop(before);
                Ok(Value::Unit)
            }
            _ => Err(arguments.wrong()),
        },
        Builtin::Gensym => {
            machine.n_symbols += 1;
            Ok(Value::Symbol(machine.n_symbols))
        }
        Builtin::Eqsym => Ok(Value::Bool(symbol(arguments)? == symbol(arguments)?)),
        Builtin::SymToHash => Ok(Value::Int(symbol(arguments)? as i64)),
        Builtin::ConstructorTag => match arguments.value()? {
            Value::Con(con) => Ok(Value::Int(i64::from(con.id()))),
            _ => Ok(Value::Int(0)),
        },
        Builtin::UnsafeCoerce => arguments.value(),
        Builtin::InlineFuthark => Err(Stop::Fault(
            "text of the array language has no value outside of accelerated code; choose by `inAccelerate` what is used there"
                .to_string(),
        )),
        Builtin::Error => {
            let message = arguments.text()?;
            Err(Stop::Fault(message))
        }
        Builtin::Exit => Err(Stop::Exit(arguments.int()?)),
        _ => {
            if let Some(value) = programs(builtin, arguments)? {
                return Ok(value);
            }
            match channels(machine, builtin, arguments)? {
                Some(value) => Ok(value),
                None => world(machine, builtin, arguments),
            }
        }
    }
}

/// Runs a built-in on programs as data.
fn programs(builtin: Builtin, arguments: &mut Taken) -> Result<Option<Value>, Stop> {
    let part = match builtin {
        Builtin::ParseExpr => {
            let Value::Record(options) = arguments.value()? else { return Err(arguments.wrong()) };
            let allow_free = matches!(options.fields(), [Value::Bool(true)]);
            let known: Vec<String> = arguments
                .seq()?
                .iter()
                .filter_map(|name| if let Value::Seq(name) = name { Some(name.text()) } else { None })
                .collect();
            return Ok(Some(parsed::parse(&arguments.text()?, &known, allow_free)));
        }
        Builtin::ParseCoreFile | Builtin::ParseLangString | Builtin::ParseLangFile => {
            let message =
                format!("`{}` needs Miking's own parser; here only expressions are parsed", builtin.name());
            return Err(Stop::Fault(message));
        }
        Builtin::ParsedId => Part::Id,
        Builtin::ParsedTerm | Builtin::ParsedTop | Builtin::ParsedDecl => Part::Terms,
        Builtin::ParsedType => Part::Types,
        Builtin::ParsedString => Part::Strings,
        Builtin::ParsedInt => Part::Ints,
        Builtin::ParsedFloat => Part::Floats,
        Builtin::ParsedLength => Part::Lengths,
        Builtin::ParsedConst => Part::Constants,
        Builtin::ParsedPat => Part::Patterns,
        Builtin::ParsedInfo => Part::Infos,
        _ => return Ok(None),
    };
    let node = arguments.value()?;
    let index = if part == Part::Id { 0 } else { arguments.int()? };
    let found = parsed::part(&node, part, index);
    found.map(Some).ok_or_else(|| Stop::Fault(format!("this node has no such part ({part:?} {index})")))
}

/// Runs an external of `ext/file-ext.mc`.
fn channels(
    machine: &mut Machine<'_>,
    builtin: Builtin,
    arguments: &mut Taken,
) -> Result<Option<Value>, Stop> {
    let (channels, world) = (&mut machine.channels, &mut *machine.world);
    let value = match builtin {
        Builtin::FileSize => {
            let size = world.file_size(&arguments.text()?).unwrap_or(0);
            Value::Int(i64::try_from(size).unwrap_or(i64::MAX))
        }
        Builtin::Stdin => Value::Int(STDIN),
        Builtin::Stdout => Value::Int(STDOUT),
        Builtin::Stderr => Value::Int(STDERR),
        Builtin::WriteOpen => {
            let opened = channels.open_write(world, &arguments.text()?);
            machine.pair(Value::Int(opened.unwrap_or(-1)), Value::Bool(opened.is_some()))
        }
        Builtin::ReadOpen => {
            let opened = channels.open_read(world, &arguments.text()?);
            machine.pair(Value::Int(opened.unwrap_or(-1)), Value::Bool(opened.is_some()))
        }
        Builtin::WriteString => {
            let channel = arguments.int()?;
            channels.write(world, channel, &arguments.text()?)?;
            Value::Unit
        }
        Builtin::WriteFlush => {
            channels.flush(world, arguments.int()?)?;
            Value::Unit
        }
        Builtin::WriteClose | Builtin::ReadClose => {
            channels.close(world, arguments.int()?)?;
            Value::Unit
        }
        Builtin::ReadChannelLine => {
            let line = channels.line(world, arguments.int()?)?;
            let is_end = line.is_none();
            machine.pair(Value::string(&line.unwrap_or_default()), Value::Bool(is_end))
        }
        Builtin::ReadString => Value::string(&channels.rest(world, arguments.int()?)?),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn world(machine: &mut Machine<'_>, builtin: Builtin, arguments: &mut Taken) -> Result<Value, Stop> {
    let unit = |done: Result<(), String>| done.map(|()| Value::Unit).map_err(Stop::Fault);
    match builtin {
        Builtin::Print => unit(machine.world.print(&arguments.text()?)),
        Builtin::PrintError => unit(machine.world.print_error(&arguments.text()?)),
        Builtin::PrintFloat => unit(machine.world.print(&float_text(arguments.float()?))),
        Builtin::DPrint => {
            let text = show(machine.code, &arguments.value()?);
            unit(machine.world.print(&text))
        }
        Builtin::FlushStdout | Builtin::FlushStderr => unit(machine.world.flush()),
        // As in Miking, there is an empty line at the end.
        Builtin::ReadLine => Ok(Value::string(&machine.world.read_line()?.unwrap_or_default())),
        Builtin::ReadBytesAsString => {
            let count = arguments.int()?;
            let wanted = usize::try_from(count);
            let wanted = wanted.map_err(|_| Stop::Fault(format!("{count} bytes cannot be read")))?;
            let bytes = machine.world.read_bytes(wanted)?;
            let text = String::from_utf8(bytes);
            let text = text.map_err(|_| Stop::Fault("the bytes read are no UTF-8 text".to_string()))?;
            let short = if text.len() < wanted { "EOF" } else { "" };
            Ok(machine.pair(Value::string(&text), Value::string(short)))
        }
        Builtin::ReadFile => Ok(Value::string(&machine.world.read_file(&arguments.text()?)?)),
        Builtin::WriteFile => {
            let path = arguments.text()?;
            unit(machine.world.write_file(&path, &arguments.text()?))
        }
        Builtin::FileExists => Ok(Value::Bool(machine.world.file_exists(&arguments.text()?))),
        Builtin::DeleteFile => unit(machine.world.delete_file(&arguments.text()?)),
        Builtin::Command => Ok(Value::Int(machine.world.command(&arguments.text()?)?)),
        // Code that the host runs is not accelerated.
        Builtin::InAccelerate => Ok(Value::Bool(false)),
        Builtin::Argv => {
            Ok(Value::Seq(machine.world.arguments().iter().map(|argument| Value::string(argument)).collect()))
        }
        Builtin::WallTimeMs => Ok(Value::Float(machine.world.time_ms())),
        Builtin::SleepMs => {
            machine.world.sleep_ms(arguments.int()?.max(0) as u64);
            Ok(Value::Unit)
        }
        Builtin::SplitAt => {
            let (seq, index) = (arguments.seq()?, arguments.int()?);
            let place = usize::try_from(index).ok().filter(|index| *index <= seq.len());
            let outside = || format!("a sequence of length {} cannot be split at {index}", seq.len());
            let place = place.ok_or_else(outside)?;
            Ok(machine.pair(Value::Seq(seq.part(0, place)), Value::Seq(seq.part(place, seq.len()))))
        }
        _ => Err(arguments.wrong()),
    }
}

fn symbol(arguments: &mut Taken) -> Result<u64, Stop> {
    match arguments.value()? {
        Value::Symbol(number) => Ok(number),
        _ => Err(arguments.wrong()),
    }
}
