# frozen_string_literal: true

begin
  require 'rbs'
rescue LoadError
  # It is for developers: where it is not installed, the lines are read one by one, which is enough for our own files.
end

# The public methods that a signature file declares.
class Signatures
  NESTED = /^\s*(?:class|module|interface) ([\w:]+)(?!.* = )/
  METHOD = /^\s*def (self\??\.)?(\S+?):\s/
  ATTRIBUTE = /^\s*attr_(reader|accessor) (\w+):/

  # By the name of their class or module, `#name` of an instance and `.name` of itself.
  # @return [Hash{String => Array<String>}]
  attr_reader :methods_of

  def initialize(source, parser: defined?(RBS::Parser))
    @methods_of = Hash.new { |methods, owner| methods[owner] = [] }
    @nesting = []
    parser ? RBS::Parser.parse_signature(source).last.each { |declaration| visit(declaration) } : scan(source)
  end

  private

  def scan(source)
    source.each_line do |line|
      case line
      when NESTED then @nesting << [Regexp.last_match(1), false]
      when METHOD then add(Regexp.last_match(1), Regexp.last_match(2))
      when ATTRIBUTE then attribute(Regexp.last_match(2), Regexp.last_match(1) == 'accessor')
      when /^\s*private$/ then hide
      when /^\s*end$/ then @nesting.pop
      end
    end
  end

  def visit(node)
    case node
    when RBS::AST::Declarations::Class, RBS::AST::Declarations::Module then nest(node)
    when RBS::AST::Members::Private then hide
    when RBS::AST::Members::MethodDefinition
      add(node.kind != :instance, node.name) unless node.visibility == :private
    when RBS::AST::Members::AttrReader then attribute(node.name, false)
    when RBS::AST::Members::AttrAccessor then attribute(node.name, true)
    end
  end

  def nest(declaration)
    @nesting << [declaration.name.to_s, false]
    declaration.members.each { |member| visit(member) }
    @nesting.pop
  end

  def hide
    @nesting.last[1] = true
  end

  def attribute(name, writer)
    add(nil, name)
    add(nil, "#{name}=") if writer
  end

  # `private` on a line of its own is about instances only.
  def add(own, name)
    return if name.to_s == 'initialize' || (!own && @nesting.last[1])

    @methods_of[@nesting.map(&:first).join('::')] << "#{own ? '.' : '#'}#{name}"
  end
end
